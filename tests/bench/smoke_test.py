# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""The load generator works: it drives two servers, adds up, and says what fails. And
each benchmark runs against the programs as they are now, in its smallest form.

No figure is looked at but for being there: speed is read by people.
"""

import json
import pathlib
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


SHORT = ["--rounds", "1", "--seconds", "0.05", "--in-flight", "2"]


class BenchmarksTest(unittest.TestCase):
    def figures(self, name, *arguments):
        with benchlib.folder() as work:
            script = pathlib.Path(__file__).with_name(f"{name}.sh")
            done = subprocess.run([script, *arguments, "--json", work / "figures.json"], capture_output=True,
                                  text=True, timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads((work / "figures.json").read_text())["figures"]

    def test_decide(self):
        figures = self.figures("decide", "--skip-in-process", *SHORT)
        self.assertEqual([figure["server"] for figure in figures], ["keeperd", "echo"])
        self.assertEqual(figures[0]["verdict"], figures[1]["verdict"])
        self.assertIn("server_cpu_us", figures[0])

    def test_batch(self):
        self.assertGreater(self.figures("batch", "--items", "10", *SHORT)[0]["per_second"], 0)

    def test_stream(self):
        self.assertGreater(self.figures("stream", *SHORT)[0]["per_second"], 0)

    def test_apps(self):
        figures = self.figures("apps", "--apps", "1000", "--cache", "16", *SHORT)
        self.assertGreater(figures["misses"], 0)
        self.assertGreater(figures["start_to_ready_s"], 0)

    def test_judge(self):
        figures = self.figures("judge", *SHORT)
        self.assertEqual([figure["server"] for figure in figures], ["judged", "plain"])
        self.assertEqual(figures[0]["verdict"], "ALLOW ALLOWED")

    def test_bridge(self):
        # The part `http` wants programs that are fetched for it alone.
        figures = self.figures("bridge", "--part", "stdio", "--part", "sessions", "--sessions", "3", "--tools", "2",
                               *SHORT)
        self.assertEqual([figure["server"] for figure in figures["stdio"]], ["bridge", "relay", "direct"])
        self.assertEqual([figure["tools"] for figure in figures["sessions"]], [0, 2])
        self.assertGreater(figures["sessions"][1]["change_ms"]["last"], 0)

    def test_propagation(self):
        figures = self.figures("propagation", "--writes", "4", "--watchers", "2", "--bridges", "1")
        self.assertEqual(figures["watcher"]["samples"], 16)
        self.assertEqual(figures["bridge"]["samples"], 4)


unittest.main()
