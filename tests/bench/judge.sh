#!/usr/bin/env bash
# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
exec python3 "$(dirname "${BASH_SOURCE[0]}")/judge.py" "$@"
