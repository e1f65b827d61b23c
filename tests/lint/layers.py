#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Checks every #include of ours against the table of layers below.

    layers.py [ROOT]      prints each offending line with what its layer may include

A layer is a folder; the row with the longest matching path holds. A row names
folders of ours and groups of foreign headers.
"""

import os
import re
import sys

from cpp_text import line_of, read, tree_files, without_comments

# Foreign headers by group; the first pattern that matches an include names it.
GROUPS = [
    ("proto", r"bridgekeeper/v1/\w+\.pb\.h"),
    ("proto", r"google/protobuf/.*"),
    ("grpc", r"bridgekeeper/v1/\w+\.grpc\.pb\.h"),
    ("grpc", r"(grpc|grpcpp)/.*"),
    ("io", r"absl/(time/clock\.h|synchronization/.*|random/.*)"),
    ("absl", r"absl/.*"),
    ("json", r"(nlohmann/.*|simdjson\.h)"),
    ("yaml", r"yaml-cpp/.*"),
    ("cli11", r"CLI/.*"),
    ("spdlog", r"spdlog/.*"),
    ("boost", r"boost/.*"),
    ("openssl", r"openssl/.*"),
    ("curl", r"curl/.*"),
    ("prometheus", r"prometheus/.*"),
    ("rocksdb", r"rocksdb/.*"),
    ("pqxx", r"(pqxx/.*|libpq-fe\.h|postgresql/.*)"),
    ("sqlite3", r"sqlite3(ext)?\.h"),
    ("pg_query", r"(pg_query\.h|pg_query/.*|protobuf/pg_query.*)"),
    ("duckdb", r"duckdb(\.h|/.*)"),
    ("gtest", r"(gtest|gmock)/.*"),
    ("benchmark", r"benchmark/.*"),
    # The standard library, less what touches the world: files, terminals, the clock.
    ("io", r"(fstream|iostream|filesystem|chrono|ctime|thread|random|csignal|future|syncstream)"),
    ("std", r"[a-z_]+"),
    ("std", r"(assert|errno|float|inttypes|limits|math|stdarg|stddef|stdint|stdio|stdlib|string|ctype)\.h"),
    ("posix", r"(sys|netinet|arpa|net|linux)/\w+\.h|\w+\.h"),
]

PURE = ["std", "absl"]
BELOW_CLIENTS = ["policy", "runtime", "proto/convert"]

# layer: (folders of ours, groups). The folder itself is always allowed.
LAYERS = {
    "policy/base": ([], PURE + ["io"]),
    "policy/base/json.cc": (["policy/base"], PURE + ["json"]),
    "policy/model": (["policy/base"], PURE),
    "policy/catalog": (["policy/base", "policy/model"], PURE),
    "policy/guard": (["policy/base", "policy/model"], PURE),
    "policy/guard/stack_pool.cc": (["policy/base"], PURE + ["io", "posix"]),
    "policy/guard/postgres.cc": (["policy/base", "policy/model", "policy/guard"], PURE + ["json", "pg_query"]),
    "policy/guard/postgres": (["policy/base", "policy/model", "policy/guard"], PURE + ["json"]),
    "policy/guard/sqlite.cc": (["policy/base", "policy/model", "policy/guard"], PURE + ["sqlite3"]),
    "policy/guard/duckdb": (["policy/base", "policy/model", "policy/guard"], PURE + ["json"]),
    # Loads the library by its path (dlopen), in a worker process alone.
    "policy/guard/duckdb/engine.cc": (["policy/base", "policy/model", "policy/guard"], PURE + ["duckdb", "posix"]),
    "policy/engine": (["policy/base", "policy/model", "policy/catalog", "policy/guard"], PURE),
    "policy/text": (["policy/base", "policy/model", "policy/catalog"], PURE + ["json", "yaml"]),
    "policy/testing": (["policy"], PURE + ["io", "gtest"]),
    "runtime": (["policy"], PURE + ["io", "posix", "boost", "openssl", "curl", "spdlog"]),
    "proto/convert": (["policy/base", "policy/model"], PURE + ["proto"]),
    "store/api": (["policy/base", "policy/model", "proto/convert"], PURE + ["io", "proto"]),
    "store/memory": (["policy/base", "policy/model", "proto/convert", "store/api"], PURE + ["io", "proto"]),
    "store/rocksdb": (["policy/base", "policy/model", "proto/convert", "store/api"],
                      PURE + ["io", "posix", "proto", "rocksdb"]),
    "store/postgres": (["policy/base", "policy/model", "proto/convert", "store/api"],
                       PURE + ["io", "posix", "proto", "pqxx"]),
    "store/decorators": (["policy/base", "policy/model", "store/api"], PURE + ["io", "proto"]),
    "store/factory": (["policy/base", "policy/model", "store"], PURE + ["io"]),
    "store/testing": (["policy", "proto/convert", "store"], PURE + ["io", "posix", "proto", "gtest"]),
    "service": (["policy", "runtime", "proto/convert", "store/api", "store/decorators", "store/factory"],
                PURE + ["io", "posix", "proto", "grpc", "boost", "openssl", "prometheus", "json", "yaml", "cli11",
                        "spdlog"]),
    "service/core/testing": (["policy", "runtime", "store", "service"], PURE + ["io", "gtest"]),
    "clients": (BELOW_CLIENTS,
                PURE + ["io", "posix", "proto", "grpc", "boost", "openssl", "curl", "prometheus", "json", "yaml",
                        "cli11", "spdlog"]),
    "clients/sdk": (BELOW_CLIENTS, PURE + ["io", "posix", "proto", "grpc", "openssl"]),
    "clients/bridge": (BELOW_CLIENTS + ["clients/sdk"],
                       PURE + ["io", "posix", "proto", "grpc", "boost", "openssl", "curl", "prometheus", "yaml",
                               "cli11", "spdlog"]),
    "clients/bridge/sandbox": (BELOW_CLIENTS + ["clients/sdk", "clients/bridge"],
                               PURE + ["io", "posix", "boost", "pqxx", "sqlite3", "duckdb"]),
    "clients/cli": (BELOW_CLIENTS + ["clients/sdk"],
                    PURE + ["io", "posix", "proto", "grpc", "boost", "openssl", "curl", "yaml", "cli11"]),
    "clients/console": (BELOW_CLIENTS, PURE),
    "tests": (["policy", "proto", "runtime", "store", "service", "clients"], [name for name, _ in GROUPS]),
    "cmake": ([], ["std", "io"]),
}

# What a file that stands beside the code it tests may include on top of its
# layer: test libraries, the test doubles of any layer below, the memory store.
TEST_FILE = re.compile(r"_(test|bench|fuzz|test_util|property_test)\.(h|cc)$")
TEST_GROUPS = ["std", "io", "posix", "gtest", "benchmark", "json"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_OURS = re.compile(r"(policy|proto|runtime|store|service|clients|tests|cmake)/")


def layer_of(path):
    best = None
    for layer in LAYERS:
        if (path == layer or path.startswith(layer + "/")) and (best is None or len(layer) > len(best)):
            best = layer
    return best


def group_of(include):
    for name, pattern in GROUPS:
        if re.fullmatch(pattern, include):
            return name
    return None


def in_folder(include, folder):
    return include.startswith(folder + "/")


def check(path, text):
    """Yields (line number, message) for each include of `text` that `path` may not have."""
    layer = layer_of(path)
    if layer is None:
        yield 1, f"{path} is in no layer: add its folder to LAYERS in tests/lint/layers.py"
        return
    folders, groups = LAYERS[layer]
    own = layer if os.path.splitext(layer)[1] == "" else os.path.dirname(layer)
    folders = [own] + [f for f in folders if f != own]
    is_test = TEST_FILE.search(path) is not None
    if is_test:
        top = path.split("/")[0]
        folders = folders + ["policy/testing", "runtime/testing", "store/testing", "tests/support", f"{top}/testing"]
        if top in ("service", "store"):
            folders = folders + ["store/memory"]
        groups = groups + TEST_GROUPS

    code = without_comments(text)
    for match in _INCLUDE.finditer(code):
        include = match[1] or match[2]
        line = line_of(code, match.start())
        if _OURS.match(include):
            if any(in_folder(include, folder) for folder in folders):
                continue
            what = include
        else:
            group = group_of(include)
            if group in groups:
                continue
            what = f"{include} ({group or 'of no group'})"
        yield line, f"layer {layer} may not include {what}; it may include: {', '.join(folders)}; {', '.join(groups)}"


def main(arguments):
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    bad = count = 0
    for path in tree_files(root):
        if not path.endswith((".h", ".cc")) or "/testdata/" in path:
            continue
        count += 1
        for line, message in check(path, read(root, path)):
            print(f"{path}:{line}: {message}")
            bad += 1
    print(f"layers: {count} files, {bad} includes that break a layer")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
