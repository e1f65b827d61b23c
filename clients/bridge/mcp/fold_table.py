#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Prints fold_table.inc: Unicode simple case folding as runs.

Simple folding (status C and S of CaseFolding.txt) maps one character to one. It is
worked out from Python's own Unicode data: the full folding where that is one
character (status C), else the lower case letter where that is one (status S).
"""

import unicodedata


def simple_fold(char):
    folded, lower = char.casefold(), char.lower()
    if len(folded) == 1:
        return folded
    return lower if len(lower) == 1 else char


def runs():
    """Yields (first, last, stride, distance) for runs that fold by the same distance."""
    pairs = [(c, ord(simple_fold(chr(c)))) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    pairs = [(c, target) for c, target in pairs if c != target]
    i = 0
    while i < len(pairs):
        first, target = pairs[i]
        best = (i, 1)
        for stride in (1, 2):
            j = i
            while j + 1 < len(pairs) and pairs[j + 1] == (pairs[j][0] + stride, pairs[j][1] + stride):
                j += 1
            best = max(best, (j, stride), key=lambda candidate: candidate[0])
        yield first, pairs[best[0]][0], best[1], target - first
        i = best[0] + 1


print("// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0")
print("//")
print(f"// Written by fold_table.py: simple case folding of Unicode {unicodedata.unidata_version}.")
print("// {first, last, stride, distance}")
for run in runs():
    print("{0x%04X, 0x%04X, %d, %d}," % run)
