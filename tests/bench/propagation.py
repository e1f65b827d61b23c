# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""From the write of a policy until it is enforced: watchers in processes of their
own, and bridges that answer calls, all at once."""

import argparse
import json
import subprocess

import benchlib
from benchlib import BIN, BenchError


def main():
    parser = argparse.ArgumentParser(prog="./dev bench propagation", description=__doc__)
    parser.add_argument("--writes", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--watchers", type=int, default=50, help="in each process")
    parser.add_argument("--bridges", type=int, default=5)
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        benchlib.guard_echo(keeperd)
        done = subprocess.run(
            [BIN / "bk_propagation", "run", "--app", "bench", "--writes", str(arguments.writes),
             "--processes", str(arguments.processes), "--watchers", str(arguments.watchers),
             "--bridges", str(arguments.bridges), "--bridge", benchlib.bridged(keeperd),
             "--json", work / "figures.json"],
            text=True, capture_output=True, env=keeperd.env(), check=False)
        if done.returncode != 0:
            raise BenchError(done.stderr)
        print(done.stdout)
        figures = json.loads((work / "figures.json").read_text())
    benchlib.finish("propagation", figures, arguments)


benchlib.run(main)
