#!/usr/bin/env bash
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# Starts keeperd on this machine, shows an allowed, an asked and a denied call
# through keeper-bridge, and says how to point an agent at it. `--once` ends after
# the show. Called by `./dev run`, which builds first.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BK_BIN_DIR:-$root/build/release/bin}
once=false
for argument in "$@"; do
  case $argument in
    --once) once=true ;;
    *)
      echo "run: got \`$argument\`, want nothing or --once" >&2
      exit 2
      ;;
  esac
done

state=$(mktemp -d)
keeperd_pid=
finish() {
  if [ -n "$keeperd_pid" ]; then
    kill "$keeperd_pid" 2>/dev/null || true
    wait "$keeperd_pid" 2>/dev/null || true
  fi
  rm -rf "$state"
}
trap finish EXIT
trap 'exit 130' INT TERM

# The show takes free ports, so that it runs beside a server that is up already;
# what stays running uses the well-known ones.
if $once; then
  grpc=127.0.0.1:0 http=127.0.0.1:0 metrics=127.0.0.1:0
else
  grpc=127.0.0.1:7420 http=127.0.0.1:7421 metrics=127.0.0.1:7422
fi

KEEPER_TOKEN=${KEEPER_TOKEN:-$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')}
export KEEPER_TOKEN
mkdir -m 700 "$state/data" "$state/files"
echo 'Hello from a file.' >"$state/files/hello.txt"

"$bin/keeperd" --dev --data-dir "$state/data" --grpc-address "$grpc" --http-address "$http" \
  --metrics-address "$metrics" 2>"$state/keeperd.log" &
keeperd_pid=$!

# keeperd logs the addresses it serves once it is ready.
address_of() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$state/keeperd.log" | tail -n 1; }
for _ in $(seq 100); do
  grep -q '"serving"' "$state/keeperd.log" && break
  kill -0 "$keeperd_pid" 2>/dev/null || break
  read -rt 0.1 <> <(:) || true
done
grpc_address=$(address_of grpc_address)
if [ -z "$grpc_address" ]; then
  echo "run: keeperd did not start:" >&2
  tail -n 20 "$state/keeperd.log" >&2
  exit 1
fi
export KEEPER_ADDRESS=$grpc_address
"$bin/keeper" status >/dev/null

status=0
node "$root/deploy/run/demo.mjs" "$bin" "$state/files" || status=$?
$once && exit "$status"
[ "$status" -eq 0 ] || exit "$status"

cat <<END

keeperd is running (gRPC $grpc_address, HTTP $(address_of http_address), metrics $(address_of metrics_address)).

Point an agent at the guarded sample database, for example in .mcp.json:

  {"mcpServers": {"sample": {
    "command": "$bin/keeper-bridge",
    "args": ["stdio", "--app", "sqlkit", "--server", "sample", "--catalog", "data-studio",
             "--", "node", "$root/deploy/run/sample-database.mjs"]}}}

Change its policy in another terminal, and see the next call answered by it:

  export KEEPER_TOKEN=$KEEPER_TOKEN
  $bin/keeper policy set sqlkit --mode FULL_ACCESS

Whoever holds that token can change policies, an agent too: keep it from the agent's
terminal. Ctrl-C stops the server and forgets everything.
END
wait "$keeperd_pid"
