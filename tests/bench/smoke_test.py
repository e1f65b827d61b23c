# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""The load generator works: it drives two servers, adds up, and says what fails.

No figure is looked at but for being there: speed is read by people.
"""

import json
import subprocess
import unittest

import benchlib
from benchlib import BIN

QUICK = ["--rounds", "2", "--seconds", "0.05", "--warm-up", "0.01"]


class LoadgenTest(unittest.TestCase):
    def run_loadgen(self, *arguments):
        return subprocess.run([BIN / "bk_loadgen", *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, check=False)

    def test_two_servers_take_turns(self):
        with benchlib.folder() as work:
            answer = work / "answer.bin"
            answer.write_bytes(b"")  # an empty answer is a valid one
            figures_file = work / "figures.json"
            with benchlib.echo(answer) as one, benchlib.echo(answer) as two:
                done = self.run_loadgen("measure", "--server", one.replace("echo", "one"),
                                        "--server", two.replace("echo", "two"),
                                        "--in-flight", "1,4", *QUICK, "--json", figures_file)
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads(figures_file.read_text())
        self.assertEqual([(f["in_flight"], f["server"]) for f in figures],
                         [(1, "one"), (1, "two"), (4, "one"), (4, "two")])
        for figure in figures:
            self.assertEqual(len(figure["rates"]), 2)
            self.assertGreater(min(figure["rates"]), 0)
            self.assertEqual(figure["errors"], 0)
            self.assertGreater(figure["p99_us"], 0)
        self.assertEqual(figures[1]["ratio"], 1)

    def test_bytes_from_a_file_go_to_the_method_named(self):
        with benchlib.folder() as work:
            answer = work / "answer.bin"
            answer.write_bytes(b"")
            request = work / "request.bin"
            request.write_bytes(b"")
            with benchlib.echo(answer) as one:
                done = self.run_loadgen(
                    "measure", "--server", f"{one},/bridgekeeper.v1.DecisionService/Decide,{request}",
                    "--in-flight", "2", *QUICK)
            self.assertEqual(done.returncode, 0, done.stderr)
            with benchlib.echo(answer) as one:
                done = self.run_loadgen("measure", "--server", f"{one},/no.such.Service/Method,{request}",
                                        "--in-flight", "2", *QUICK)
            self.assertEqual(done.returncode, 1)
            self.assertIn("UNIMPLEMENTED", done.stderr)

    def test_an_answer_is_kept_for_the_echo(self):
        with benchlib.folder() as work:
            answer = work / "answer.bin"
            answer.write_bytes(b"\x0a\x02\x08\x03")  # decision { verdict: VERDICT_ALLOW }
            copy = work / "copy.bin"
            with benchlib.echo(answer) as one:
                done = self.run_loadgen("sample", "--server", one, "--out", copy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("ALLOW "), done.stdout)
            self.assertEqual(copy.read_bytes(), answer.read_bytes())


unittest.main()
