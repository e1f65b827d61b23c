# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Decide with a statement to judge, another one each time so that no judgement is
remembered, against the same call to a tool without a payload rule."""

import argparse
import json

import benchlib

JUDGED = "sqlkit__execute_query"
PLAIN = "run_report"


def main():
    parser = argparse.ArgumentParser(prog="./dev bench judge", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one server in one round")
    parser.add_argument("--in-flight", default="1,16,64")
    parser.add_argument("--dialect", default="postgres")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()

    print(benchlib.machine(), "\n")
    with benchlib.folder() as work, benchlib.Keeperd(work / "data") as keeperd:
        keeperd.put_policy("bench", mode="READ_ONLY")
        keeperd.keeper("connections", "put", "-f", "-",
                       stdin=json.dumps({"app": "bench", "id": "orders", "type": arguments.dialect}))
        keeperd.keeper("catalog", "put", "-f", "-",
                       stdin=json.dumps({"app": "bench", "tool": PLAIN, "risk": "SAFE", "needs_connection": "YES"}))
        figures = benchlib.measure(
            "--server", keeperd.server("judged", tool=JUDGED), "--server", keeperd.server("plain", tool=PLAIN),
            "--connection", "orders", "--statements", "--in-flight", arguments.in_flight,
            "--rounds", arguments.rounds, "--seconds", arguments.seconds)
    benchlib.finish("judge", figures, arguments)


benchlib.run(main)
