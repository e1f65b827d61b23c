// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What `keeper` makes of files that are no documents. Nothing is written, so no
// server is needed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { binDir, deadlineMs } from './stack.mjs';

for (const [claim, file, said] of [
  ['a folder is said to be one', process.cwd(), /Is a directory/],
  ['an endless file is read up to a limit', '/dev/zero', /want at most 8388608/],
  ['an empty file is said to be empty', '/dev/null', /empty document/],
  ['a missing file is said to be missing', '/nonexistent', /No such file/],
]) {
  test(claim, () => {
    const { status, stderr } = spawnSync(join(binDir, 'keeper'), ['policy', 'put', '-f', file],
      { timeout: deadlineMs, encoding: 'utf8' });
    assert.equal(status, 1, stderr);
    assert.match(stderr, said);
  });
}
