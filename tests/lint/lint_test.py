#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Tests the checks of this folder against their samples.

testdata/layers/ and testdata/rules/<rule>/ hold files good*.txt and bad*.txt.
The first line of a sample is `path: PATH`, where it pretends to be. Each line of
a bad sample that must be found ends in the comment `WANT` (in its own comment
form); a bad sample without one must be found at line 1.
"""

import glob
import os
import sys
import unittest

import cpp_text
import layers
import rules

HERE = os.path.dirname(os.path.abspath(__file__))


def load(sample):
    """(pretended path, text, line numbers wanted) of a sample file."""
    with open(sample, encoding="utf-8") as file:
        first, text = file.read().split("\n", 1)
    assert first.startswith("path: "), sample
    wanted = [number for number, line in enumerate(text.split("\n"), 1) if line.rstrip().endswith("WANT")]
    return first[len("path: "):].strip(), text, wanted


def samples(*folder):
    return sorted(glob.glob(os.path.join(HERE, "testdata", *folder, "*.txt")))


class LintTest(unittest.TestCase):
    def check_samples(self, files, check):
        kinds = set()
        for sample in files:
            path, text, wanted = load(sample)
            name = os.path.basename(sample)
            kinds.add(name.split("_")[0].split(".")[0])
            with self.subTest(sample=os.path.relpath(sample, HERE)):
                got = sorted(set(check(path, text)))
                self.assertEqual(got, [] if name.startswith("good") else wanted or [1])
        self.assertEqual(kinds, {"good", "bad"}, f"want good and bad samples among {files}")

    def test_layers(self):
        self.check_samples(samples("layers"), lambda path, text: [line for line, _ in layers.check(path, text)])

    def test_layers_message_names_line_and_what_is_allowed(self):
        ((line, message),) = layers.check("service/core/x.cc", "\n#include <rocksdb/db.h>\n")
        self.assertEqual(line, 2)
        self.assertIn("layer service may not include rocksdb/db.h (rocksdb)", message)
        self.assertIn("store/api", message)
        self.assertIn("grpc", message)

    def test_rules(self):
        for rule in rules.RULES:
            with self.subTest(rule=rule.name):

                def check(path, text, rule=rule):
                    return [line for line, _, _ in rules.check(path, text, [rule])]

                self.check_samples(samples("rules", rule.name), check)

    def test_no_sample_without_rule(self):
        folders = {os.path.basename(f) for f in glob.glob(os.path.join(HERE, "testdata", "rules", "*"))}
        self.assertEqual(folders - {rule.name for rule in rules.RULES}, set())

    def test_comments_and_literals_are_not_code(self):
        text = 'a; // rand()\n/* rand()\n*/ "rand()" R"x(rand())x" \'"\' b("//") 1\'000\'000; // "\nc'
        code = cpp_text.code_only(text)
        self.assertNotIn("rand", code)
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertIn("1'000'000;", code)
        self.assertTrue(code.endswith("\nc"))
        self.assertIn('b("//")', cpp_text.without_comments(text))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
