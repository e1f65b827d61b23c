// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What was reviewed is what runs: a tool whose definition changes, or whose server is
// started in another way, is hidden and denied until somebody approves it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import { Stack, binDir, denialOf, here, require, until, within } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

let stack;
before(async () => { stack = await Stack.start(); });
after(() => stack?.stop());

const commandOf = (file, ...words) => [process.execPath, here('changing_server.mjs'), file, ...words];

// Says what the tool `note` is from now on.
async function define(file, definition) {
  await writeFile(`${file}.next`, JSON.stringify(definition));
  await rename(`${file}.next`, file);
}

async function config(file, text) {
  await writeFile(`${file}.next`, text);
  await chmod(`${file}.next`, 0o600);
  await rename(`${file}.next`, file);
}

const diff = async (app, server) =>
  JSON.parse(await stack.keeper('catalog', 'diff', '--app', app, '--server', server, '-o', 'json'));

// What the diff says of `note`, once it says `what`.
const rowOnce = (app, server, what) => until(async () => {
  const row = (await diff(app, server)).find(({ tool }) => tool === 'note');
  return row?.what === what && row;
}, `\`note\` that is ${what}`);

// keeper-bridge serve with a configuration, and a client of it.
async function serve(file) {
  const bridge = spawn(join(binDir, 'keeper-bridge'), ['serve', '--config', file],
    { env: stack.environment(), stdio: ['ignore', 'ignore', 'pipe'] });
  const waiting = [];
  createInterface({ input: bridge.stderr }).on('line', (line) => {
    for (const wait of waiting) wait(line);
  });
  const line = (text) => within(new Promise((resolve) => {
    waiting.push((one) => { if (one.includes(text)) resolve(JSON.parse(one)); });
  }), `line with ${text}`);
  const { address } = await line('"serving"');
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities: {} });
  await within(client.connect(new StreamableHTTPClientTransport(new URL(`http://${address}/mcp`))), 'initialize');
  return {
    client,
    async reload() {
      const reloaded = line('configuration was');
      bridge.kill('SIGHUP');
      return reloaded;
    },
    async stop() {
      await client.close();
      const ended = once(bridge, 'exit');
      bridge.kill('SIGTERM');
      await within(ended, 'end of the bridge');
    },
  };
}

// Every field that a pin covers, one after the other, with what the diff says of it: the
// field, and what it is now where that is not the whole change.
const changes = [
  [{ description: 'Takes a note, and sends it to me.' }, 'description'],
  [{ title: 'Note' }, 'title'],
  [{ inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }, 'inputSchema.properties',
    { to: { type: 'string' } }],
  [{ outputSchema: { type: 'object' } }, 'outputSchema'],
  [{ annotations: { readOnlyHint: true } }, 'annotations'],
];

async function changeAndApprove({ app, server, tool, client, file }) {
  const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
  const call = () => client.callTool({ name: tool, arguments: {} });
  let definition = { description: 'Takes a note.' };
  await define(file, definition);
  await listed();
  await rowOnce(app, server, 'NEW');
  await stack.keeper('catalog', 'review', '--app', app, '--server', server, 'note', '--risk', 'SAFE', '--yes');
  await until(async () => (await listed()).includes(tool), 'listing of the reviewed tool');
  for (const [change, field, to = Object.values(change)[0]] of changes) {
    definition = { ...definition, ...change };
    await define(file, definition);
    assert.equal((await call()).content[0].text, 'noted');
    await until(async () => !(await listed()).includes(tool), `hiding after a change of ${field}`);
    assert.equal(denialOf(await call())?.reason_code, 'TOOL_CHANGED');
    const row = await rowOnce(app, server, 'CHANGED');
    assert.deepEqual(row.changes.map((one) => one.field), [field]);
    assert.deepEqual(JSON.parse(row.changes[0].to), to);
    const shown = await stack.keeper('catalog', 'diff', '--app', app, '--server', server);
    assert.ok(shown.includes(`  ${field}\n    - `), shown);
    await stack.keeper('catalog', 'approve', '--app', app, '--server', server, 'note', '--yes', '--reason', field);
    await until(async () => (await listed()).includes(tool), `listing after the approval of ${field}`);
  }
  assert.equal((await call()).content[0].text, 'noted');
}

test('behind keeper-bridge stdio a changed tool is denied until it is approved', async () => {
  await stack.keeper('policy', 'set', 'pin-stdio', '--mode', 'READ_ONLY');
  const file = join(stack.dir, 'stdio.json');
  await define(file, { description: 'Takes a note.' });
  const client = await stack.connect(['--app', 'pin-stdio', '--server', 'notes'], commandOf(file));
  await changeAndApprove({ app: 'pin-stdio', server: 'notes', tool: 'note', client, file });
  await client.close();

  // B224: another command under the same name is another server.
  const other = await stack.connect(['--app', 'pin-stdio', '--server', 'notes'], commandOf(file, 'other'));
  await until(async () => denialOf(await other.callTool({ name: 'note', arguments: {} }))?.reason_code === 'TOOL_CHANGED',
    'denial of another command');
  assert.deepEqual((await other.listTools()).tools, []);
  const { changes: told } = await rowOnce('pin-stdio', 'notes', 'CHANGED');
  assert.deepEqual(told.map(({ field }) => field),
    ['bridgekeeper/origin.arguments', 'bridgekeeper/origin.command_sha256']);
  await other.close();
});

test('behind keeper-bridge serve a changed tool is denied until it is approved', async (t) => {
  await stack.keeper('policy', 'set', 'pin-serve', '--mode', 'READ_ONLY');
  const file = join(stack.dir, 'serve.json');
  const yaml = join(stack.dir, 'bridge.yaml');
  const write = (env) => config(yaml, JSON.stringify({ app: 'pin-serve', listen: '127.0.0.1:0',
    servers: { notes: { command: commandOf(file), env } } }));
  await define(file, { description: 'Takes a note.' });
  await write({ SECRET: 'one' });
  const bridge = await serve(yaml);
  t.after(() => bridge.stop());
  const { client } = bridge;
  const call = () => client.callTool({ name: 'notes__note', arguments: {} });
  await changeAndApprove({ app: 'pin-serve', server: 'notes', tool: 'notes__note', client, file });

  // Another value of a variable is the same server, another name is not.
  await write({ SECRET: 'two' });
  await bridge.reload();
  assert.equal((await call()).content[0].text, 'noted');
  await write({ SECRET: 'two', NODE_OPTIONS: '--no-deprecation' });
  await bridge.reload();
  assert.equal(denialOf(await call())?.reason_code, 'TOOL_CHANGED');
  assert.deepEqual((await client.listTools()).tools, []);
  const row = await rowOnce('pin-serve', 'notes', 'CHANGED');
  assert.deepEqual(row.changes, [{ field: 'bridgekeeper/origin.environment', from: '["SECRET"]',
    to: '["NODE_OPTIONS","SECRET"]' }]);
  await stack.keeper('catalog', 'approve', '--app', 'pin-serve', '--server', 'notes', 'note', '--yes');
  await until(async () => !denialOf(await call()), 'end of the denial');
});
