# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Decisions: in this process, and unary Decide against a bare echo."""

import argparse
import subprocess

import benchlib
from benchlib import BIN


def in_process():
    engine = BIN / "bench/engine_bench"
    if engine.exists():
        print("In process (engine_bench):")
        subprocess.run([engine, "--benchmark_min_time=0.2"], check=True)
        print()


def main():
    parser = argparse.ArgumentParser(prog="./dev bench decide", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one server in one round")
    parser.add_argument("--in-flight", default="1,16,64")
    parser.add_argument("--skip-in-process", action="store_true", help="only the servers")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    if not arguments.skip_in_process:
        in_process()
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        keeperd.put_policy("bench", mode="FULL_ACCESS")
        answer = work / "answer.bin"
        verdict = benchlib.loadgen("sample", "--server", keeperd.server(), "--out", answer, quiet=True)
        print(f"Unary Decide ({verdict.strip()}, {answer.stat().st_size} bytes of answer; "
              "echo parses the same and answers as much, ratio 1; "
              "cpu: the server's processor time for each call):")
        with benchlib.echo(answer) as echo:
            figures = benchlib.measure("--server", keeperd.server(), "--server", echo,
                                       "--in-flight", arguments.in_flight, "--rounds", arguments.rounds,
                                       "--seconds", arguments.seconds)
    benchlib.finish("decide", figures, arguments)


benchlib.run(main)
