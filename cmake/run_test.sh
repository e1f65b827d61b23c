#!/usr/bin/env bash
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# run_test.sh SECONDS COMMAND...: runs one test in a temporary folder of its own
# and with a time limit that reaches the whole process group. BK_KEEP_TMP=1
# leaves the folder behind.
set -u

limit=$1
shift

dir=$(mktemp -d "${TMPDIR:-/tmp}/bk-test.XXXXXX") || exit 1
export TMPDIR=$dir TEST_TMPDIR=$dir HOME=$dir
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
# history_size: suppressions want the stack of the older of two accesses.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:exitcode=66:second_deadlock_stack=1:history_size=7:suppressions=$here/tsan_suppressions.txt}"

timeout --kill-after=10 "$limit" "$@"
code=$?
if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
  echo "run_test: got no end within ${limit} s" >&2
fi

if [ "${BK_KEEP_TMP:-}" = 1 ]; then
  echo "run_test: kept $dir" >&2
else
  rm -rf "$dir"
fi
exit "$code"
