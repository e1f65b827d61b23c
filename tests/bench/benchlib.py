# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: programs that are started and ended, and figures.

Every program listens on a port of the loopback that the kernel chose, keeps its
files in a folder that is removed, and is ended by its own process id.
"""

import contextlib
import json
import os
import pathlib
import secrets
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(os.environ.get("BK_BIN_DIR") or pathlib.Path(__file__).parents[2] / "build/release/bin")

# Longest wait for a program to start or to end.
DEADLINE_S = 60


class BenchError(Exception):
    """A benchmark that could not be made; the text says why."""


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="bk-bench-") as path:
        yield pathlib.Path(path)


def end(process):
    """Ends a process that we started: politely, then not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


def read_line(stream, what):
    """Reads a line that a program prints when it is ready."""
    if not select.select([stream], [], [], DEADLINE_S)[0]:
        raise BenchError(f"{what}: said nothing for {DEADLINE_S} s")
    line = stream.readline()
    if not line:
        raise BenchError(f"{what}: ended before it was ready")
    return line.strip()


class Keeperd:
    """A keeperd of its own; its data stays where it is over a restart."""

    def __init__(self, data, *flags):
        self.data = pathlib.Path(data)
        self.flags = flags
        self.token = secrets.token_hex(24)
        self.process = None
        self.address = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Starts it; returns the seconds until it was ready."""
        self.data.mkdir(mode=0o700, exist_ok=True)
        log = self.data.with_suffix(".log")
        begin = time.monotonic()
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [BIN / "keeperd", "--dev", "--data-dir", self.data, "--grpc-address", "127.0.0.1:0",
                 "--http-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0", *self.flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=out,
                env={**os.environ, "KEEPER_TOKEN": self.token})
        while time.monotonic() - begin < DEADLINE_S:
            for line in log.read_text(errors="replace").splitlines():
                if '"serving"' in line:
                    event = json.loads(line)
                    self.address = event["grpc_address"]
                    self.metrics = event.get("metrics_address")
                    return time.monotonic() - begin
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        raise BenchError(f"keeperd did not start:\n{log.read_text(errors='replace')[-2000:]}")

    def stop(self):
        if self.process:
            end(self.process)
            self.process = None

    def env(self):
        return {**os.environ, "KEEPER_ADDRESS": self.address, "KEEPER_TOKEN": self.token}

    def server(self, name="keeperd", apps=None, tool=None):
        """How bk_loadgen names it; `apps`: ask about one of so many each time; `tool`: about this one."""
        return (f"{name}={self.address}{'' if tool is None else f'?{tool}'}"
                f"{'' if apps is None else f'@{apps}'}#{self.process.pid}")

    def rss_mib(self):
        return rss_mib(self.process.pid)

    def keeper(self, *arguments, stdin=None):
        done = subprocess.run([BIN / "keeper", *arguments], env=self.env(), input=stdin, text=True,
                              capture_output=True, timeout=DEADLINE_S, check=False)
        if done.returncode != 0:
            raise BenchError(f"keeper {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def put_policy(self, app, **fields):
        document = json.dumps({"app": app, **fields})
        self.keeper("policy", "put", "-f", "-", stdin=document)

    def counter(self, name):
        """The sum of a metric over its labels."""
        page = subprocess.run(["curl", "--silent", "--fail", "--noproxy", "*", f"http://{self.metrics}/metrics"],
                              capture_output=True, text=True, timeout=DEADLINE_S, check=True).stdout
        values = [float(line.rsplit(" ", 1)[1]) for line in page.splitlines()
                  if line.startswith((name + " ", name + "{"))]
        if not values:
            raise BenchError(f"keeperd has no metric {name}")
        return sum(values)


@contextlib.contextmanager
def echo(answer_file):
    """The bare server that answers with the bytes of a file; yields how bk_loadgen names it."""
    process = subprocess.Popen([BIN / "bk_echo", answer_file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    try:
        yield f"echo={read_line(process.stdout, 'bk_echo')}#{process.pid}"
    finally:
        end(process)


ECHO_TOOL = {"app": "bench", "server": "stdio", "tool": "echo", "risk": "SAFE", "needs_connection": "NO"}


def guard_echo(keeperd):
    """Lets app `bench` call the one tool of bk_mcp_echo."""
    keeperd.put_policy("bench", mode="READ_ONLY")
    keeperd.keeper("catalog", "put", "-f", "-", stdin=json.dumps(ECHO_TOOL))


# The servers that can stand behind a bridge, each with the one tool `echo`.
MCP_SERVERS = {
    "echo": f"{BIN / 'bk_mcp_echo'}",
    "sdk": f"node {pathlib.Path(__file__).parent / 'mcp/sdk_server.mjs'}",
}


def bridged(keeperd, server="echo"):
    """The command of a server behind a bridge."""
    return f"{BIN / 'keeper-bridge'} stdio --app bench --keeper {keeperd.address} -- {MCP_SERVERS[server]}"


def relayed(work, server="echo"):
    """The command of a server between two `cat`: what any process in between must cost, which reads nothing of
    what it passes."""
    script = work / "relay.sh"
    script.write_text(f"#!/bin/sh\ncat | {MCP_SERVERS[server]} | cat\n")
    script.chmod(0o700)
    return script


@contextlib.contextmanager
def program(command, log, is_ready, **options):
    """Runs a program that says on its standard error when it is ready; yields the process and
    what `is_ready` made of what it had said."""
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   start_new_session=True, **options)
    try:
        begin = time.monotonic()
        while not (ready := is_ready(log.read_text(errors="replace"))):
            if process.poll() is not None or time.monotonic() - begin > DEADLINE_S:
                raise BenchError(f"{command[0]} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.01)
        yield process, ready
    finally:
        end(process)
        with contextlib.suppress(ProcessLookupError):  # what it leaves behind
            os.killpg(process.pid, signal.SIGKILL)


def serving(text):
    """The address that a `keeper-bridge serve` has logged."""
    for line in text.splitlines():
        if '"serving"' in line:
            return json.loads(line)["address"]
    return None


@contextlib.contextmanager
def serve(keeperd, work, command):
    """A `keeper-bridge serve` in front of one server; yields its process and port."""
    config = work / "bridge.json"
    config.write_text(json.dumps({"listen": "127.0.0.1:0", "keeper": {"addresses": [keeperd.address]},
                                  "app": "bench", "servers": {"stdio": {"command": command}}}), encoding="utf-8")
    config.chmod(0o600)
    with program([BIN / "keeper-bridge", "serve", "--config", config], work / "bridge.log", serving,
                 env=keeperd.env()) as (process, address):
        yield process, int(address.rsplit(":", 1)[1])


def rss_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise BenchError(f"process {pid} has no VmRSS")


def loadgen(*arguments, env=None, quiet=False):
    """Runs bk_loadgen and shows what it prints."""
    done = subprocess.run([BIN / "bk_loadgen", *map(str, arguments)], env=env, text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise BenchError(done.stdout + done.stderr)
    if not quiet:
        print(done.stdout, end="", flush=True)
    return done.stdout


def measure(*arguments, quiet=False):
    """Runs `bk_loadgen measure`; returns its figures, one entry a server and number in flight."""
    with folder() as work:
        loadgen("measure", *arguments, "--json", work / "figures.json", quiet=quiet)
        figures = json.loads((work / "figures.json").read_text())
    for figure in figures:
        if figure["errors"]:
            raise BenchError(f"{figure['server']}: {figure['errors']} calls failed: {figure['first_error']}")
        if not figure.get("verdict", "ALLOW").startswith("ALLOW"):
            raise BenchError(f"{figure['server']}: the call measured is {figure['verdict']}, want ALLOW")
    return figures


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


median = statistics.median


def machine():
    """One line about where the figures come from."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as cpus:
        for line in cpus:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} processors ({model}), load before {load:.1f}"


def finish(name, figures, arguments):
    """Keeps the figures as JSON where --json asks for it."""
    document = {"benchmark": name, "machine": machine(), "figures": figures}
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def run(main):
    """Runs a benchmark; one that cannot be made says why."""
    try:
        main()
    except BenchError as error:
        sys.exit(f"bench: {error}")
