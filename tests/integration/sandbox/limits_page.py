#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Prints docs/sandbox-limits.md of the data of this suite; --check FILE compares.

The page says, for each engine, which attacks only the guard refuses.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ENGINES = (("postgres", "PostgreSQL"), ("duckdb", "DuckDB"), ("sqlite", "SQLite"))
HEAD = """<!-- Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0 -->

# What only the guard keeps from a database

Made by `tests/integration/sandbox/limits_page.py` of the data that the adversarial suite
runs; a test fails where the two differ.

Every statement of an agent is judged before it runs, and runs in a session that only
reads. The suite runs each attack twice: with the guard before the engine, where each is
refused or leaves all as it is, and with the guard, and what the bridge looks up of the
text, taken out. Below is what the engine then lets pass, where the connection only reads:
the worst that a wrong judgement could let through.
"""


def sql_of(case):
    text = case.get("sql") or json.dumps(case["arguments"])
    text = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return text if len(text) <= 160 else text[:157] + "..."


def page():
    out = [HEAD]
    for name, title in ENGINES:
        cases = json.loads((HERE / f"attacks/{name}.json").read_text("utf-8"))
        listed = json.loads((HERE / f"attacks/{name}_guard_only.json").read_text("utf-8"))
        by_name = {case["name"]: case for case in cases}
        out.append(f"\n## {title}\n\n{len(listed)} of {len(cases)} attacks.\n")
        out.append("\n| statement | it changes or shows | why |\n|---|---|---|\n")
        for row in listed:
            leaves = ", ".join(row["leaves"]) or "nothing"
            out.append(f"| `{sql_of(by_name[row['name']])}` | {leaves} | {row['why'].replace('|', chr(92) + '|')} |\n")
    out.append(
        "\n`answer`: text that the case is not to see comes back. `log`: the server's write-ahead log"
        " grows. `server`: sessions of others, locks, slots or transaction numbers. `sockets`: a"
        " connection is made.\n"
    )
    return "".join(out)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        if pathlib.Path(sys.argv[2]).read_text("utf-8") == page():
            return 0
        print(f"{sys.argv[2]} is not what the data says: write it anew with limits_page.py > {sys.argv[2]}")
        return 1
    sys.stdout.write(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
