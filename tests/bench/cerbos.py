# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""The same question to keeperd and to Cerbos, from the same client: may an app that
reads and writes call a reading tool on a connection of its allowlist of three?"""

import argparse
import contextlib
import json
import pathlib
import socket
import subprocess
import time
import urllib.request

import benchlib
from benchlib import BenchError

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "npm/cerbos/node_modules/@cerbos/cerbos-linux-x64/cerbos-linux-x64"
METHOD = "/cerbos.svc.v1.CerbosService/CheckResources"
ALLOWLIST = ["orders", "invoices", "stock"]


def free_port():
    """Cerbos cannot be told to take any port: one that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def cerbos(work):
    """A Cerbos with our policies; yields its gRPC address and process."""
    grpc, http = free_port(), free_port()
    config = work / "cerbos.yaml"
    config.write_text(json.dumps({
        "server": {"grpcListenAddr": f"127.0.0.1:{grpc}", "httpListenAddr": f"127.0.0.1:{http}"},
        "telemetry": {"disabled": True},
        "storage": {"driver": "disk", "disk": {"directory": str(HERE / "cerbos/policies"), "watchForChanges": False}},
    }), encoding="utf-8")
    log = work / "cerbos.log"
    with open(log, "wb") as out:
        process = subprocess.Popen([PROGRAM, "server", f"--config={config}"], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=out)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        end = time.monotonic() + benchlib.DEADLINE_S
        while True:
            with contextlib.suppress(OSError):
                opener.open(f"http://127.0.0.1:{http}/_cerbos/health", timeout=1).close()
                break
            if process.poll() is not None or time.monotonic() > end:
                raise BenchError(f"cerbos did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)
        yield f"127.0.0.1:{grpc}", process
    finally:
        benchlib.end(process)


def protoc(mode, message, data):
    return subprocess.run(["protoc", f"-I{HERE / 'cerbos'}", f"--{mode}={message}", "check.proto"],
                          input=data, capture_output=True, check=True).stdout


def request(connection):
    allowlist = " ".join(f'values {{ string_value: "{name}" }}' for name in ALLOWLIST)
    return protoc("encode", "CheckResourcesRequest", f"""
        request_id: "bench"
        principal {{
          id: "bench"
          roles: "readwrite"
          attr {{ key: "allowlist" value {{ list_value {{ {allowlist} }} }} }}
        }}
        resources {{
          actions: "read"
          resource {{
            kind: "mcp_tool"
            id: "dynamo__describe_limits"
            attr {{ key: "connection_id" value {{ string_value: "{connection}" }} }}
          }}
        }}""".encode())


def check_effect(address, work, connection, wanted):
    """A benchmark of the wrong answer says nothing."""
    question, answer = work / "question.bin", work / "answer.bin"
    question.write_bytes(request(connection))
    benchlib.loadgen("sample", "--server", f"cerbos={address},{METHOD},{question}", "--out", answer, quiet=True)
    text = protoc("decode", "CheckResourcesResponse", answer.read_bytes()).decode()
    if wanted not in text:
        raise BenchError(f"cerbos answers for `{connection}`, want {wanted}:\n{text}")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench cerbos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one server in one round")
    parser.add_argument("--in-flight", default="1,16,64")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        raise BenchError("Cerbos is not there: `./dev bench cerbos` installs it")

    print(benchlib.machine(), "\n")
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd, cerbos(work) as (address, process):
        keeperd.put_policy("bench", mode="DATA_READ_WRITE", allowed_connection_ids=ALLOWLIST)
        check_effect(address, work, "secrets", "EFFECT_DENY")
        check_effect(address, work, "orders", "EFFECT_ALLOW")
        question = work / "question.bin"
        figures = benchlib.measure(
            "--server", keeperd.server(), "--server", f"cerbos={address}#{process.pid},{METHOD},{question}",
            "--tool", "dynamo__describe_limits", "--connection", "orders", "--arguments", "",
            "--in-flight", arguments.in_flight, "--rounds", arguments.rounds, "--seconds", arguments.seconds)
    benchlib.finish("cerbos", figures, arguments)


benchlib.run(main)
