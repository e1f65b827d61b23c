# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Many decisions a call: DecideBatch with calls in flight, or DecideStream with
requests of one stream that are not answered yet."""

import argparse

import benchlib


def main():
    parser = argparse.ArgumentParser(prog="./dev bench batch|stream", description=__doc__)
    parser.add_argument("form", choices=["batch", "stream"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one round")
    parser.add_argument("--in-flight", default="1,16,64")
    parser.add_argument("--items", type=int, default=100, help="decisions of one batch")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        keeperd.put_policy("bench", mode="FULL_ACCESS")
        figures = benchlib.measure("--server", keeperd.server(), "--form", arguments.form,
                                   "--in-flight", arguments.in_flight, "--rounds", arguments.rounds,
                                   "--seconds", arguments.seconds, "--items", arguments.items)
    benchlib.finish(arguments.form, figures, arguments)


benchlib.run(main)
