# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: reading C++ text, listing the tree."""

import functools
import os
import re
import subprocess

# One alternative a kind of token that may hide another: comments, raw strings,
# strings, characters (not the ' of 1'000).
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>\bR"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


@functools.lru_cache(maxsize=4)
def without_comments(text):
    """`text` with comments blanked out, lines and columns kept."""
    return _TOKEN.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


@functools.lru_cache(maxsize=4)
def code_only(text):
    """`text` with comments and the insides of literals blanked out."""

    def replace(m):
        if m["comment"]:
            return _blank(m[0])
        return m[0][0] + _blank(m[0][1:-1]) + m[0][-1]

    return _TOKEN.sub(replace, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def tree_files(root):
    """The files of the tree at `root`, as git sees them, new ones too."""
    out = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = sorted(set(filter(None, out.split("\0"))))
    return [f for f in files if os.path.isfile(os.path.join(root, f)) and not os.path.islink(os.path.join(root, f))]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()
