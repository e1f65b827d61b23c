# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""What keeper-bridge adds to a tools/call: by the bridge and by the direct pipe in
turn, to the same server, from the same client."""

import argparse
import json
import subprocess

import benchlib
from benchlib import BIN, BenchError


def main():
    parser = argparse.ArgumentParser(prog="./dev bench bridge", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one way in one round")
    parser.add_argument("--in-flight", default="1,16")
    parser.add_argument("--server", choices=sorted(benchlib.MCP_SERVERS), default="echo",
                        help="echo: bare, in C++; sdk: the official SDK's, in node")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        benchlib.guard_echo(keeperd)
        done = subprocess.run(
            [BIN / "bk_mcp_load", "--way", f"bridge={benchlib.bridged(keeperd, arguments.server)}",
             "--way", f"direct={benchlib.MCP_SERVERS[arguments.server]}",
             "--in-flight", arguments.in_flight, "--rounds", str(arguments.rounds),
             "--seconds", str(arguments.seconds), "--json", work / "figures.json"],
            text=True, capture_output=True, env=keeperd.env(), check=False)
        if done.returncode != 0:
            raise BenchError(done.stderr)
        print(done.stdout)
        figures = json.loads((work / "figures.json").read_text())
    for figure, direct in zip(figures[::2], figures[1::2]):
        added = figure["p50_us"] - direct["p50_us"]
        figure["added_p50_us"] = added
        print(f"in flight {figure['in_flight']:3}: the bridge adds {added:.1f} us to the median call, "
              f"and passes {figure['ratio']:.3f} of the direct pipe's calls a second")
    benchlib.finish("bridge", figures, arguments)


benchlib.run(main)
