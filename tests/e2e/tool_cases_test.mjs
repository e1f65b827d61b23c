// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each of the 115 tools through a real keeperd and a real bridge, by tool_cases.json. A case
// has the tool, its arguments (the connection's is added), and what the call comes to:
//
//   risk     the call runs in the mode that just reaches this risk, and a lower mode denies it
//   raised   with `risk`: the payload made it worse than the tool's own
//   denied   the reason with which FULL_ACCESS denies it
//
// Each tool has a case at its own risk, and one that is denied or raised unless it is
// DESTRUCTIVE itself or listed in `no_worse`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Stack, denialOf, here } from './stack.mjs';

const { cases, no_worse: noWorse } = JSON.parse(readFileSync(here('tool_cases.json'), 'utf8'));
const tools = readFileSync(here('../vectors/tool_arguments.tsv'), 'utf8').split('\n')
  .filter((line) => line.includes('__')).map((line) => line.split('\t')[0]);
const modes = { SAFE: 'READ_ONLY', ELEVATED: 'DATA_READ_WRITE', DESTRUCTIVE: 'FULL_ACCESS' };
const risks = Object.keys(modes);
const types = { es: 'elasticsearch', mongo: 'mongodb', dynamo: 'dynamodb', sqlkit: 'postgres' };
const family = (tool) => tool.split('__')[0];
const clients = {};
let stack;

before(async () => {
  stack = await Stack.start();
  for (const mode of Object.values(modes)) {
    const app = mode.toLowerCase();
    await stack.keeper('policy', 'set', app, '--mode', mode);
    const file = join(stack.dir, `${app}.json`);
    await writeFile(file, JSON.stringify(Object.entries(types).map(
      ([id, type]) => ({ app, id, type, ...(id === 'mongo' ? { databases: ['shop'] } : {}) }))));
    await stack.keeper('connections', 'put', '-f', file);
  }
  for (const mode of Object.values(modes)) {
    clients[mode] = await stack.connect(
      ['--app', mode.toLowerCase(), '--server', 'studio', '--catalog', 'data-studio'],
      [process.execPath, here('tool_server.mjs')]);
    await clients[mode].listTools();
  }
});
after(() => stack?.stop());

async function call(mode, one) {
  const args = { ...one.arguments };
  if (types[family(one.tool)] && !one.tool.endsWith('list_connections')) args.connection_id = family(one.tool);
  const result = await clients[mode].callTool({ name: one.tool, arguments: args });
  return result.isError ? (denialOf(result)?.reason_code ?? result.content[0].text) : result.content[0].text;
}

for (const one of cases) {
  const want = one.denied ? `denied ${one.denied}` : one.risk;
  test(`${one.tool} ${JSON.stringify(one.arguments ?? {})} is ${want}`, async () => {
    if (one.denied) {
      assert.equal(await call('FULL_ACCESS', one), one.denied);
      return;
    }
    assert.equal(await call(modes[one.risk], one), `ran ${one.tool}`);
    const lower = risks[risks.indexOf(one.risk) - 1];
    if (lower) assert.equal(await call(modes[lower], one), 'MODE_TOO_LOW');
  });
}

test('every tool has a case at its own risk, and what can do worse one that is refused or raised', () => {
  for (const tool of tools) {
    const own = cases.filter((one) => one.tool === tool && one.risk && !one.raised);
    assert.ok(own.length > 0, `no case for ${tool}`);
    const worse = cases.some((one) => one.tool === tool && (one.denied || one.raised));
    assert.ok(worse || own[0].risk === 'DESTRUCTIVE' || noWorse.includes(tool), `no worse case for ${tool}`);
  }
});

test('no tool takes an argument that it does not have', async () => {
  for (const tool of tools.filter((name) => !name.endsWith('list_connections') || name.startsWith('mongo'))) {
    assert.equal(await call('FULL_ACCESS', { tool, arguments: { x_unknown: 'DROP TABLE t' } }), 'INVALID_REQUEST', tool);
  }
});
