#!/usr/bin/env bash
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# generated.sh write|check FILE COMMAND...: FILE is what COMMAND prints.
set -euo pipefail

mode=$1 file=$2
shift 2

fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
"$@" >"$fresh"

case $mode in
  write)
    cmp --silent "$fresh" "$file" || {
      mkdir -p "$(dirname "$file")"
      cat "$fresh" >"$file"
      echo "wrote $file"
    }
    ;;
  check)
    diff --unified "$file" "$fresh" || {
      echo "$file is not what its program prints: run ./dev gen" >&2
      exit 1
    }
    ;;
  *)
    echo "generated.sh: got \`$mode\`, want write or check" >&2
    exit 2
    ;;
esac
