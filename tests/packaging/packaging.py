# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: folders, programs, and a keeperd of their own."""

import contextlib
import json
import os
import pathlib
import secrets
import select
import subprocess
import time
import urllib.request

SOURCE = pathlib.Path(os.environ.get("BK_SOURCE_DIR") or pathlib.Path(__file__).parents[2])
BIN = pathlib.Path(os.environ.get("BK_BIN_DIR") or SOURCE / "build/release/bin")

# Longest wait for a program to start, to answer or to end.
DEADLINE_S = 60

# What a program gets where nothing of this machine's session may help it.
SCRUBBED = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def run(*command, code=0, env=None, **more):
    """Runs a command to its end; returns it, or raises with all it said."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          timeout=more.pop("timeout", DEADLINE_S), env=env,
                          stdin=None if "input" in more else subprocess.DEVNULL, **more)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: got exit {done.returncode}, want {code}\n"
                             f"{done.stdout}{done.stderr}")
    return done


def fetch(address, path):
    """The body that http://ADDRESS/PATH answers."""
    with urllib.request.urlopen(f"http://{address}{path}", timeout=DEADLINE_S) as answer:
        return answer.read().decode()


class Serving:
    """A program that logs JSON lines to standard error, one of them once it serves."""

    def __init__(self, command, event, env):
        self.process = subprocess.Popen([str(word) for word in command], env=env, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.said = b""
        self.serving = self._wait(event)

    def _wait(self, event):
        end = time.monotonic() + DEADLINE_S
        pipe = self.process.stderr.fileno()
        while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            chunk = os.read(pipe, 65536)
            self.said += chunk
            for line in self.said.splitlines():
                with contextlib.suppress(ValueError):
                    fields = json.loads(line)
                    if event(fields):
                        return fields
            if not chunk:
                break
        self.stop()
        raise AssertionError(f"{self.process.args}: does not serve\n{self.said.decode(errors='replace')}")

    def stop(self):
        """Ends it and returns its exit code."""
        self.process.terminate()
        try:
            self.said += self.process.communicate(timeout=DEADLINE_S)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.process.returncode


@contextlib.contextmanager
def keeperd(data, *flags, program=BIN / "keeperd", env=None):
    """A keeperd on ports that the kernel chose; yields (its start event, environment of clients)."""
    token = secrets.token_hex(24)
    env = {**(env or SCRUBBED), "KEEPER_TOKEN": token}
    server = Serving([program, "--dev", "--data-dir", data, "--grpc-address", "127.0.0.1:0", "--http-address",
                      "127.0.0.1:0", "--metrics-address", "127.0.0.1:0", *flags],
                     lambda fields: fields.get("event", fields.get("message")) == "serving", env)
    try:
        yield server.serving, {**env, "KEEPER_ADDRESS": server.serving["grpc_address"]}
    except BaseException:
        server.stop()
        raise
    code = server.stop()
    if code != 0:
        raise AssertionError(f"keeperd: got exit {code} at its stop, want 0\n{server.said.decode(errors='replace')}")
