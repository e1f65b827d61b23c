#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""The units of deploy/systemd, as far as they can be tried where no systemd runs.

systemd-analyze reads and rates them. Their ExecStart runs as another user than the
test's, where the test may become one, with the folders of the unit moved into the
test's own. That the kernel's walls leave the programs alone is not shown here.
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from packaging import BIN, SCRUBBED, SOURCE, Serving, run

UNITS = SOURCE / "deploy/systemd"
# Worst rating that is allowed, in tenths; `systemd-analyze security` gives 0 to 100.
# The bridge's servers need the network and a compiler at run time.
THRESHOLDS = {"keeperd": 15, "keeper-bridge": 18}
NOBODY = 65534


def lines(unit, key):
    return re.findall(rf"^{key}=(.*)$", (UNITS / f"{unit}.service").read_text(), re.MULTILINE)


class SystemdTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def copy(self, unit, drop=None):
        """The unit with this build's programs, less the lines that `drop` matches."""
        text = (UNITS / f"{unit}.service").read_text().replace("/usr/bin/keeper", f"{BIN}/keeper")
        if drop:
            text = re.sub(rf"^({drop})=.*\n", "", text, flags=re.MULTILINE)
        path = self.folder / f"{unit}.service"
        path.write_text(text)
        return path

    def rate(self, unit, drop=None, code=0):
        run("systemd-analyze", "security", "--offline=true", f"--threshold={THRESHOLDS[unit]}", "--no-pager",
            self.copy(unit, drop), code=code)

    def verify(self):
        files = [self.folder / f"{unit}.service" for unit in THRESHOLDS]
        done = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *files, code=None)
        # What it says of units that are not ours is this machine's affair.
        return [line for line in (done.stdout + done.stderr).splitlines() if "keeper" in line]

    def test_systemd_understands_every_line(self):
        for unit in THRESHOLDS:
            self.copy(unit)
        self.assertEqual(self.verify(), [])

    def test_a_misspelt_key_would_be_found(self):
        for unit in THRESHOLDS:
            self.copy(unit)
        path = self.folder / "keeperd.service"
        path.write_text(path.read_text().replace("ProtectHome=", "ProtectHomes="))
        self.assertRegex("\n".join(self.verify()), "ProtectHomes")

    def test_exposure_is_below_the_threshold(self):
        for unit in THRESHOLDS:
            self.rate(unit)

    def test_without_its_walls_a_unit_is_above_it(self):
        for unit in THRESHOLDS:
            self.rate(unit, drop="CapabilityBoundingSet|SystemCallFilter|User", code=1)

    def test_a_stop_has_more_time_than_the_drain(self):
        drain = re.search(r"^drain_timeout: (\d+)s$", (SOURCE / "deploy/keeperd/keeperd.yaml").read_text(), re.MULTILINE)
        self.assertGreater(int(lines("keeperd", "TimeoutStopSec")[0]), int(drain[1]) + 5)

    def test_the_users_are_those_that_sysusers_makes(self):
        made = re.findall(r"^u (\S+)", (UNITS / "bridgekeeper.sysusers").read_text(), re.MULTILINE)
        self.assertEqual(made, [lines(unit, "User")[0] for unit in THRESHOLDS])

    def test_keeperd_runs_as_another_user_as_the_unit_starts_it(self):
        config = self.folder / "keeperd.yaml"
        text = (SOURCE / "deploy/keeperd/keeperd.yaml").read_text()
        text = text.replace("/var/lib/bridgekeeper", f"{self.folder}/state")
        config.write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:0", text))
        state = self.folder / "state"
        state.mkdir(mode=0o700)
        become = []
        if os.geteuid() == 0:
            become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs",
                      "--bounding-set=-all", "--"]
            os.chown(state, NOBODY, NOBODY)
            for folder in (pathlib.Path(os.environ.get("TMPDIR", self.folder)), self.folder):
                folder.chmod(0o711)
            config.chmod(0o644)

        def command(key):
            words = lines("keeperd", key)[0].replace("/usr/bin", str(BIN))
            return become + words.replace("/etc/bridgekeeper", str(self.folder)).split()

        run(*command("ExecStart"), "--check-config", env=SCRUBBED)
        server = Serving(command("ExecStart"), lambda fields: fields.get("message") == "serving", SCRUBBED)
        try:
            run(BIN / "keeper", "healthcheck", env={**SCRUBBED, "KEEPER_ADDRESS": server.serving["grpc_address"]})
        finally:
            code = server.stop()
        self.assertEqual(code, 0, server.said.decode(errors="replace"))
        self.assertEqual((state / "data").stat().st_mode & 0o777, 0o700)

    def test_exit_codes_that_a_restart_cannot_mend_are_listed(self):
        self.assertEqual(lines("keeperd", "RestartPreventExitStatus"), ["2 3"])
        bad = self.folder / "keeperd.yaml"
        bad.write_text("grpc_adress: x\n")
        run(BIN / "keeperd", "--config", bad, env=SCRUBBED, code=2)
        run(BIN / "keeper-bridge", "serve", "--config", bad, env=SCRUBBED, code=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
