#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""`cmake --install` into a folder of its own: what is there, and that it stands alone.

Nothing of the build tree may be needed or named. Programs run with an environment that
holds a PATH and nothing else, in an empty folder.
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from packaging import BIN, SCRUBBED, SOURCE, keeperd, run

PROGRAMS = ["keeper", "keeper-bridge", "keeperd"]
COMPLETION = {
    "bash": "share/bash-completion/completions/keeper",
    "fish": "share/fish/vendor_completions.d/keeper.fish",
    "zsh": "share/zsh/site-functions/_keeper",
}
DOC = "share/doc/bridgekeeper"
DUCKDB = "lib/bridgekeeper/libduckdb.so"
WITH_DUCKDB = os.environ["BK_WITH_DUCKDB"] == "ON"
RUNPATH = "$ORIGIN/../lib/bridgekeeper"


def runpaths(program):
    return re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", run("readelf", "--dynamic", program).stdout)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.prefix = pathlib.Path(cls.temporary.name) / "prefix"
        run(os.environ["BK_CMAKE"], "--install", os.environ["BK_BUILD_DIR"], "--prefix", cls.prefix, timeout=150)
        cls.empty = pathlib.Path(cls.temporary.name) / "empty"
        cls.empty.mkdir()

    def installed(self, program, *arguments, env=None, **more):
        return run(self.prefix / "bin" / program, *arguments, env={**SCRUBBED, **(env or {})}, cwd=self.empty, **more)

    def test_these_files_and_no_others_are_installed(self):
        want = {f"bin/{name}" for name in PROGRAMS} | set(COMPLETION.values())
        want |= {f"{DOC}/{name}" for name in ("LICENSE", "keeperd.yaml", "keeper-bridge.yaml")}
        want |= {f"lib/systemd/system/{name}.service" for name in ("keeperd", "keeper-bridge")}
        want |= {"lib/sysusers.d/bridgekeeper.conf"}
        want |= {DUCKDB} if WITH_DUCKDB else set()
        got = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        self.assertEqual(sorted(got), sorted(want))

    def test_nobody_but_the_owner_may_change_them(self):
        for path in self.prefix.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o022, 0, path)

    def test_no_file_names_the_build_tree_or_the_sources(self):
        for path in (path for path in self.prefix.rglob("*") if path.is_file()):
            content = path.read_bytes()
            for folder in (os.environ["BK_BUILD_DIR"], str(SOURCE)):
                self.assertNotIn(f"{folder}/".encode(), content, path)

    def test_libraries_are_looked_for_beside_the_program_and_never_in_the_current_folder(self):
        # An empty entry means the current folder, and a program that an agent starts
        # runs in one that the agent can write.
        for name in PROGRAMS:
            self.assertEqual(runpaths(self.prefix / "bin" / name), [RUNPATH], name)
            self.assertEqual(runpaths(BIN / name), [RUNPATH], f"{name} of the build tree")

    def test_each_program_runs_without_the_build_tree(self):
        for name in PROGRAMS:
            self.assertRegex(self.installed(name, "version" if name == "keeper" else "--version").stdout, r"\d+\.\d+")

    def test_the_server_decides_and_stops_cleanly(self):
        with keeperd(self.empty / "data", program=self.prefix / "bin/keeperd") as (_, env):
            keeper = self.prefix / "bin/keeper"
            run(keeper, "healthcheck", env=env)
            run(keeper, "policy", "set", "sqlkit", "--mode", "READ_ONLY", env=env)
            run(keeper, "connections", "put", "-f", SOURCE / "deploy/run/sample-connections.yaml", env=env)
            call = ["decide", "--app", "sqlkit", "--connection", "staging", "--tool"]
            run(keeper, *call, "sqlkit__execute_query", "--statement", "select 1", env=env)
            said = run(keeper, *call, "sqlkit__execute_delete", "--statement", "delete from t", env=env, code=3)
            self.assertIn("MODE_TOO_LOW", said.stdout)

    def test_units_start_the_installed_programs(self):
        for name in ("keeperd", "keeper-bridge"):
            unit = (self.prefix / f"lib/systemd/system/{name}.service").read_text()
            self.assertEqual(set(re.findall(r"^ExecStart(?:Pre)?=(\S+)", unit, re.MULTILINE)),
                             {str(self.prefix / "bin" / name)})
            source = (SOURCE / f"deploy/systemd/{name}.service").read_text()
            self.assertEqual(unit, source.replace("=/usr/bin/", f"={self.prefix}/bin/"))

    @unittest.skipUnless(WITH_DUCKDB, "this build has no DuckDB")
    def test_duckdb_is_the_private_library(self):
        judge = ["judge", "--dialect", "duckdb", "-o", "json"]
        self.assertIn("SAFE", self.installed("keeper", *judge, input="select 1").stdout)
        shutil.move(self.prefix / DUCKDB, self.empty / "elsewhere.so")
        try:
            said = self.installed("keeper", *judge, input="select 1", code=None)
            self.assertIn("no DuckDB", said.stdout + said.stderr)
        finally:
            shutil.move(self.empty / "elsewhere.so", self.prefix / DUCKDB)

    def test_completion_is_what_the_program_prints(self):
        for shell, file in COMPLETION.items():
            self.assertEqual((self.prefix / file).read_text(), self.installed("keeper", "completion", shell).stdout)
        run("bash", "-n", self.prefix / COMPLETION["bash"])

    def test_sample_configurations_are_valid(self):
        self.installed("keeperd", "--check-config", "--config", self.prefix / DOC / "keeperd.yaml")
        words = ("keeper-bridge", "serve", "--check-config", "--config", self.prefix / DOC / "keeper-bridge.yaml")
        named = {"NPM_CONFIG_CACHE": "/tmp/npm", "SEARCH_MCP_TOKEN": "t"}
        self.installed(*words, env=named)
        for variable in named:
            without = {name: value for name, value in named.items() if name != variable}
            self.assertIn(variable, self.installed(*words, env=without, code=2).stderr)

    def test_a_misspelt_key_in_one_would_be_found(self):
        for program, file in (("keeperd", "keeperd.yaml"), ("keeper-bridge", "keeper-bridge.yaml")):
            bad = self.empty / file
            bad.write_text((self.prefix / DOC / file).read_text() + "\ngrpc_adress: x\n")
            words = ["serve"] if program == "keeper-bridge" else []
            self.assertIn("grpc_adress", self.installed(program, *words, "--check-config", "--config", bad, code=2).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
