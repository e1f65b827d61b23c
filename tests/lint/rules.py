#!/usr/bin/env python3
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Rules of the house that no compiler knows.

    rules.py [ROOT]       prints file, line, rule and the reason of each offence

Each rule has samples under testdata/rules/<rule>/: good*.txt must pass and
bad*.txt must not; their first line says `path: PATH`, the place the sample
pretends to be at. rules_test.py checks them.
"""

import fnmatch
import os
import re
import sys

from cpp_text import code_only, line_of, read, tree_files, without_comments

CPP = ("*.h", "*.cc")
CPP_TESTS = ("*_test.cc", "*_test.h", "*_property_test.cc", "tests/*.cc", "tests/*.h", "*/testing/*.h", "*/testing/*.cc")
CONSOLE = ("*.ts", "*.tsx", "*.js", "*.mjs")


class Pattern:
    """A regular expression that must not occur.

    files, unless: shell patterns of paths (`*` crosses folders).
    view: the text it looks at: `code` (no comments, literals blank), `strings`
    (no comments) or `all`.
    """

    def __init__(self, name, regex, why, files=CPP, unless=(), view="code"):
        self.name, self.why, self.files, self.unless, self.view = name, why, files, unless, view
        self.regex = re.compile(regex, re.MULTILINE)

    def check(self, path, text):
        text = {"code": code_only, "strings": without_comments, "all": str}[self.view](text)
        for match in self.regex.finditer(text):
            yield line_of(text, match.start()), " ".join(match[0].split())


class Function:
    """A rule that is a function (path, text) -> iterable of (line, what)."""

    def __init__(self, name, function, why, files=CPP, unless=()):
        self.name, self.check, self.why, self.files, self.unless = name, function, why, files, unless


def default_on_our_enum(_, text):
    code = code_only(text)
    for switch in re.finditer(r"\bswitch\s*\(", code):
        begin = code.find("{", _closing(code, switch.end() - 1, "()"))
        end = _closing(code, begin, "{}")
        if begin < 0 or end < 0:
            continue
        body = _top_level(code[begin + 1 : end])
        default = re.search(r"\bdefault\s*:", body)
        if default and re.search(r"\bcase\s+(\w+::)*k[A-Z]\w*\s*:", body):
            yield line_of(code, begin + 1 + default.start()), "default:"


def _closing(code, position, pair):
    depth = 0
    for i in range(position, len(code)):
        if code[i] == pair[0]:
            depth += 1
        elif code[i] == pair[1]:
            depth -= 1
            if depth == 0:
                return i
    return -1


def _top_level(body):
    """`body` with what a nested switch holds blanked out; the blocks of a case stay."""
    out = body
    for switch in re.finditer(r"\bswitch\s*\(", body):
        begin = body.find("{", switch.end())
        end = _closing(body, begin, "{}")
        if begin >= 0 and end >= 0:
            out = out[:begin] + re.sub(r"[^\n]", " ", out[begin : end + 1]) + out[end + 1 :]
    return out


def uncommented_ignore(_, text):
    lines = text.split("\n")
    for number, line in enumerate(code_only(text).split("\n"), 1):
        if "IgnoreError()" not in line:
            continue
        above = lines[number - 2] if number > 1 else ""
        if "//" not in lines[number - 1] and not above.lstrip().startswith("//"):
            yield number, "IgnoreError()"


BANNER = "Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0"


def no_banner(_, text):
    if text.strip() and BANNER not in "\n".join(text.split("\n")[:3]):
        yield 1, "no banner"


def wrong_guard(path, text):
    want = "BRIDGEKEEPER_" + re.sub(r"[^A-Z0-9]", "_", path.upper()) + "_"
    got = re.search(r"^#ifndef (\w+)\n#define (\w+)$", text, re.MULTILINE)
    if got is None or got[1] != want or got[2] != want:
        yield 1, f"got {got[1] if got else 'no guard'}, want {want}"


def await_in_condition(_, text):
    code = code_only(text)
    for statement in re.finditer(r"\b(if|while|switch|for)\s*(constexpr\s*)?\(", code):
        end = _closing(code, statement.end() - 1, "()")
        inner = code[statement.end() : end]
        if re.search(r"\bco_await\b", inner):
            yield line_of(code, statement.start()), f"co_await in the condition of `{statement[1]}`"
    for match in re.finditer(r"(&&|\|\|)\s*co_await\b", code):
        yield line_of(code, match.start()), f"co_await behind `{match[1]}`"
    for question in re.finditer(r"\?", code):
        # The expression that the `?` stands in, to both sides: up to the parenthesis, the
        # statement or the block that holds it.
        begin, depth = question.start(), 0
        while begin > 0 and not (depth == 0 and code[begin - 1] in "([;{}"):
            begin -= 1
            depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[begin], 0)
        end, depth = question.end(), 0
        while end < len(code) and not (depth == 0 and code[end] in ")];{}"):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(code[end], 0)
            end += 1
        if re.search(r"\bco_await\b", code[begin:end]):
            yield line_of(code, question.start()), "co_await inside ?:"


RULES = [
    Pattern("no-sleep-in-tests", r"\b(sleep_for|sleep_until|usleep|nanosleep|SleepFor)\s*\(|(?<![\w.:>])sleep\s*\(",
            "wait for the event, with a deadline (support::WaitUntil), or advance a FakeClock", files=CPP_TESTS,
            unless=("tests/support/*",)),
    Pattern("no-json-by-hand", r'(<<|\+=?|\b(StrCat|Append|append)\()\s*"[{,\[]?\\"',
            "build JSON with policy/base/json.h", view="strings", unless=("*_test.cc", "tests/*")),
    Pattern("no-catch-all", r"\bcatch\s*\(\s*\.\.\.\s*\)",
            "exceptions stop in the wrapper of the library that throws them",
            unless=("policy/base/json.cc", "policy/text/yaml*.cc", "store/postgres/pqxx_status.*",
                    "clients/bridge/sandbox/pqxx_status.*")),
    Pattern("no-throw", r"\bthrow\b(?!\(\))", "say it with absl::Status",
            unless=("*_test.cc", "tests/*", "policy/text/yaml*.cc")),
    Function("no-default-on-our-enum", default_on_our_enum,
             "list every enumerator, so that -Wswitch finds the next one"),
    Function("no-await-in-condition", await_in_condition,
             "g++ 12 destroys what is awaited there twice, or never: await in a statement of its own"),
    Function("no-silent-ignore-error", uncommented_ignore, "a comment says why the error does not matter"),
    Pattern("no-wall-clock",
            r"\babsl::Now\s*\(|\b(system|steady|high_resolution)_clock::now\s*\(|\b(gettimeofday|clock_gettime)\s*\("
            r"|\bstd::time\s*\(|(?<![\w.:>])time\s*\(\s*(nullptr|NULL|0)\s*\)",
            "time is passed in: take a Clock&",
            unless=("*clock.cc", "*_bench.cc", "tests/support/*", "tests/bench/*")),
    Pattern("no-bare-mutex",
            r"\bstd::(recursive_|shared_|timed_)?mutex\b|\bstd::(lock_guard|unique_lock|scoped_lock)\b"
            r"|\bstd::condition_variable\b|\babsl::(Mutex|Notification|CondVar|BlockingCounter)\b",
            "use bridgekeeper::Mutex (policy/base/mutex.h): clang checks it and TSan understands it; std::latch for"
            " a notification", unless=("policy/base/mutex.h",)),
    Pattern("no-atomic-shared-ptr", r"\batomic\s*<\s*std::(shared|weak)_ptr", "use SnapshotCell"),
    Pattern("no-detach", r"[.>]detach\s*\(\s*\)", "a thread has an owner that joins it"),
    Pattern("no-weak-random", r"(?<![\w.:>])s?rand\s*\(|\bstd::(mt19937(_64)?|random_device|default_random_engine)\b",
            "ids and secrets come from an IdSource; tests may use a seeded engine", unless=CPP_TESTS + ("*_bench.cc", "*_fuzz.cc")),
    Pattern("no-using-namespace", r"^\s*using\s+namespace\s+(?!std::(\w+_)?literals)", "name what you use"),
    Pattern("no-pragma-once", r"^\s*#\s*pragma\s+once", "the guard names the path"),
    Pattern("no-foreign-namespace-inside-ours",
            r"\bnamespace\s+bridgekeeper::(\w+::)*(grpc|rocksdb|pqxx|absl|std|testing|google)\b",
            "it would shadow the library's own"),
    Pattern("no-commented-out-test", r"^\s*//\s*(TEST|TEST_F|TEST_P|bk_test)\s*\(", "list it with SKIP \"reason\"",
            files=CPP + ("CMakeLists.txt", "*/CMakeLists.txt"), view="all"),
    Pattern("no-disabled-test", r"\bDISABLED_\w+", "list it with SKIP \"reason\""),
    Pattern("no-todo-without-condition", r"\b(TODO|FIXME|XXX|HACK)\b(?!\([^)]+\))",
            "say TODO(condition under which it goes away)",
            files=CPP + CONSOLE + ("*.py", "*.sh", "*.proto", "*CMakeLists.txt", "*.cmake"), view="all",
            unless=("tests/lint/*",)),
    Pattern("no-glob", r"\bfile\s*\(\s*GLOB", "sources are listed by name",
            files=("CMakeLists.txt", "*/CMakeLists.txt", "*.cmake"), view="all"),
    Pattern("no-html-from-text",
            r"\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML)\b|\bdocument\.write\b|\beval\s*\(",
            "untrusted text is shown as text", files=CONSOLE),
    Pattern("no-machine-in-tree",
            r"(?<![\w./-])/(root|home/\w+)/|(?<![\w./$}~-])/work/|\bregistry\.(npmjs|yarnpkg)\.\w+|\bdeb\.debian\.org\b",
            "nothing in the tree names one machine's folders or a package registry", files=("*",), view="all",
            unless=("tests/lint/*",)),
    Function("banner", no_banner, f"a file starts with `{BANNER}`",
             files=CPP + CONSOLE + ("*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "*.proto", "*.md", "*.yaml", "*.yml",
                                    "*.css", "*.html", "*.sql", "*.service", "*Dockerfile", "dev", ".ci/run",
                                    "*/.clang-*", ".clang-*"),
             unless=("*/testdata/*", "tests/golden/*", "tests/vectors/*", "*/corpus/*", "*.lock.yaml",
                     "helm/*/ci/*", "*/third_party/*")),
    Function("include-guard", wrong_guard, "the guard names the path", files=("*.h",), unless=("*/testdata/*",)),
]


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def check(path, text, rules=None):
    """Yields (line, rule, what) for each offence of the file `path` with `text`."""
    for rule in rules or RULES:
        if matches(path, rule.files) and not matches(path, rule.unless):
            for line, what in rule.check(path, text):
                yield line, rule, what


def unlisted(files, root):
    """Sources that no CMakeLists.txt of their folder, or of one above it, names."""
    texts = {}
    for path in files:
        if not path.endswith((".cc", ".h", ".proto")) or "/testdata/" in path or path.startswith("cmake/"):
            continue
        folder = os.path.dirname(path)
        while True:
            listing = os.path.join(folder, "CMakeLists.txt")
            if listing in files:
                if listing not in texts:
                    texts[listing] = re.sub(r"#.*", "", read(root, listing))
                name = os.path.relpath(path, folder or ".")
                if re.search(r"(?<![\w./-])" + re.escape(name) + r"(?![\w./-])", texts[listing]):
                    break
            if not folder:
                yield path
                break
            folder = os.path.dirname(folder)


def main(arguments):
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = tree_files(root)
    bad = 0
    for path in files:
        if "tests/lint/testdata/" in path or path.endswith(("package-lock.json", ".png", ".so", ".gz")):
            continue
        for line, rule, what in check(path, read(root, path)):
            print(f"{path}:{line}: {rule.name}: {what}: {rule.why}")
            bad += 1
    for path in unlisted(set(files), root):
        print(f"{path}:1: listed: no CMakeLists.txt names it, so nothing builds it")
        bad += 1
    for path in files:
        if path.endswith("package-lock.json"):
            for number, line in enumerate(read(root, path).split("\n"), 1):
                if '"resolved"' in line and "://" in line:
                    print(f"{path}:{number}: no-registry-in-lock: .npmrc has omit-lockfile-registry-resolved=true")
                    bad += 1
                    break
    print(f"rules: {len(files)} files, {len(RULES) + 2} rules, {bad} offences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
