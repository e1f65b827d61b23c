#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Makes the rows of inventory.cc from inventory.tsv.

A line is: group TAB does TAB names, parted by spaces. Lines that begin with # are
comments. A name stands once in its group.
"""

import sys

GROUPS = ["function", "global", "hint", "job", "method", "old", "procedure", "property", "table",
          "view"]
DOES = {
    "harmless": "kHarmless", "sensitive": "kSensitive", "secret": "kSecret",
    "host_file": "kHostFile", "external": "kExternal", "allocates": "kAllocates",
    "sequence": "kSequence", "resource": "kResource", "describes": "kDescribes",
}


def main(source, target):
    rows = {}
    with open(source, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            group, does, names = line.split("\t")
            if group not in GROUPS or does not in DOES:
                sys.exit(f"{source}:{number}: unknown group or effect")
            for name in names.split(" "):
                if name != name.lower() or not name or (group, name) in rows:
                    sys.exit(f"{source}:{number}: `{name}` is empty, not lower case or there twice")
                rows[(group, name)] = does
    with open(target, "w", encoding="ascii") as out:
        for (group, name), does in sorted(rows.items()):
            out.write(f'{{Group::k{group.capitalize()}, "{name}", Does::{DOES[does]}}},\n')


main(sys.argv[1], sys.argv[2])
