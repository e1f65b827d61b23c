# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""What keeper-bridge adds to a tools/call, and what its sessions take.

stdio: the bridge, a relay that only copies, and the direct pipe in turn, to the same server, from the same client.
http: `serve`, mcp-proxy and supergateway in front of the same server, and the direct pipe.
sessions: memory of idle sessions, and a change of the policy until each has heard of it.
"""

import argparse
import json
import subprocess

import benchlib
from benchlib import BIN, BenchError
from bridge_http import peers
from bridge_sessions import measure_sessions


def load(ways, arguments, env):
    """Runs bk_mcp_load; returns its figures."""
    with benchlib.folder() as work:
        done = subprocess.run(
            [BIN / "bk_mcp_load", *[word for way in ways for word in ("--way", way)],
             "--in-flight", arguments.in_flight, "--rounds", str(arguments.rounds),
             "--seconds", str(arguments.seconds), "--json", work / "figures.json"],
            text=True, capture_output=True, env=env, check=False)
        if done.returncode != 0:
            raise BenchError(done.stderr)
        print(done.stdout)
        return json.loads((work / "figures.json").read_text())


def stdio(keeperd, arguments):
    with benchlib.folder() as work:
        ways = [f"bridge={benchlib.bridged(keeperd, arguments.server)}",
                f"relay={benchlib.relayed(work, arguments.server)}",
                f"direct={benchlib.MCP_SERVERS[arguments.server]}"]
        figures = load(ways, arguments, keeperd.env())
    for at in range(0, len(figures), len(ways)):
        bridge, relay, direct = figures[at:at + len(ways)]
        for figure in (bridge, relay):
            figure["added_p50_us"] = figure["p50_us"] - direct["p50_us"]
        print(f"in flight {bridge['in_flight']:3}: the bridge adds {bridge['added_p50_us']:.1f} us to the median "
              f"call, and passes {bridge['ratio']:.3f} of the direct pipe's calls a second; two `cat` between the "
              f"same ends add {relay['added_p50_us']:.1f} us and pass {relay['ratio']:.3f}")
    return figures


def http(keeperd, arguments):
    server = benchlib.MCP_SERVERS[arguments.server].split()
    with benchlib.folder() as work, benchlib.serve(keeperd, work, server) as (bridge, port), \
            peers(work, server) as others:
        ways = [f"serve=http://127.0.0.1:{port}/mcp#{bridge.pid}", *others,
                f"direct={benchlib.MCP_SERVERS[arguments.server]}"]
        figures = load(ways, arguments, keeperd.env())
    for at in range(0, len(figures), len(ways)):
        serve, *others, direct = figures[at:at + len(ways)]
        for figure in (serve, *others):
            figure["added_p50_us"] = figure["p50_us"] - direct["p50_us"]
        for other in others:
            print(f"in flight {serve['in_flight']:3}: serve has {serve['per_second'] / other['per_second']:.1f} times the calls a "
                  f"second of {other['server']}, and {serve['added_p50_us'] / other['added_p50_us']:.3f} of what it adds "
                  f"to the median call ({serve['added_p50_us']:.0f} of {other['added_p50_us']:.0f} us)")
    return figures


def sessions(keeperd, arguments):
    return [measure_sessions(keeperd, arguments.sessions, tools) for tools in (0, arguments.tools)]


PARTS = {"stdio": stdio, "http": http, "sessions": sessions}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench bridge", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=sorted(PARTS), action="append", help="default: all")
    parser.add_argument("--rounds", type=int, default=5)
    # Node closes a connection that waits for 5 s: all others have their turns in that time.
    parser.add_argument("--seconds", type=float, default=0.8, help="of one way in one round")
    parser.add_argument("--in-flight", default="1,16")
    parser.add_argument("--server", choices=sorted(benchlib.MCP_SERVERS), default="echo",
                        help="echo: bare, in C++; sdk: the official SDK's, in node")
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--tools", type=int, default=100, help="of 1 KiB, that each session has listed")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    figures = {}
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        benchlib.guard_echo(keeperd)
        for part in arguments.part or PARTS:
            print(f"---- {part}")
            figures[part] = PARTS[part](keeperd, arguments)
    benchlib.finish("bridge", figures, arguments)


benchlib.run(main)
