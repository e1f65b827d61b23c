// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// keeper-bridge between a server and clients of the official SDK: what must pass
// passes unchanged, what the policy denies is denied with its reason.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { Stack, deadlineMs, denialOf, here, npmFile, require, until } from './stack.mjs';

const types = require('@modelcontextprotocol/sdk/types.js');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const reference = [process.execPath, here('reference_server.mjs')];
const bridgeArgs = ['--app', 'e2e', '--server', 'ref'];
const safeTools = ['echo', 'structured', 'ask_model', 'ask_user', 'steps', 'wait', 'environment', 'grow'];
let stack;

before(async () => {
  stack = await Stack.start();
  await stack.keeper('policy', 'set', 'e2e', '--mode', 'READ_ONLY');
  await stack.review('e2e', 'ref', reference, safeTools, 'SAFE');
  await stack.review('e2e', 'ref', reference, ['wipe'], 'DESTRUCTIVE');
});
after(() => stack?.stop());

const fullCapabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

// A client that answers what servers ask, and keeps what it was told.
function answering(seen) {
  return (client) => {
    client.setRequestHandler(types.CreateMessageRequestSchema, async ({ params }) => {
      seen.sampling = params;
      return { model: 'fake', role: 'assistant', content: { type: 'text', text: 'four' } };
    });
    client.setRequestHandler(types.ElicitRequestSchema, async ({ params }) => {
      seen.elicitation = params;
      return { action: 'accept', content: { name: 'Ada' } };
    });
    client.setNotificationHandler(types.LoggingMessageNotificationSchema, async ({ params }) => {
      seen.logs = [...(seen.logs ?? []), params];
    });
    client.setNotificationHandler(types.ToolListChangedNotificationSchema, async () => {
      seen.listChanged = (seen.listChanged ?? 0) + 1;
    });
  };
}

async function direct(prepare) {
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities: fullCapabilities });
  prepare(client);
  await client.connect(new StdioClientTransport({ command: reference[0], args: reference.slice(1), stderr: 'ignore' }));
  return client;
}

// Everything that a session can be asked for, in a form that can be compared.
async function tour(client, seen) {
  const progress = [];
  const order = [];
  const steps = await client.callTool({ name: 'steps', arguments: {} }, undefined,
    { onprogress: (p) => { progress.push(p); order.push('progress'); } });
  order.push('result');
  return {
    echo: await client.callTool({ name: 'echo', arguments: { message: 'é 漢 \u{1F600} \\ "' } }),
    structured: await client.callTool({ name: 'structured', arguments: {} }),
    steps, progress, order,
    model: await client.callTool({ name: 'ask_model', arguments: {} }),
    user: await client.callTool({ name: 'ask_user', arguments: {} }),
    sampling: seen.sampling, elicitation: seen.elicitation, logs: seen.logs,
    resources: await client.listResources(),
    templates: await client.listResourceTemplates(),
    resource: await client.readResource({ uri: 'memo://greeting' }),
    note: await client.readResource({ uri: 'memo://notes/one' }),
    prompts: await client.listPrompts(),
    prompt: await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } }),
    completePrompt: await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }),
    completeResource: await client.complete({ ref: { type: 'ref/resource', uri: 'memo://notes/{id}' }, argument: { name: 'id', value: 't' } }),
    ping: await client.ping(),
    level: await client.setLoggingLevel('debug'),
    serverVersion: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

test('what passes is what a client without the bridge gets', async () => {
  const seenDirect = {};
  const plain = await direct(answering(seenDirect));
  const want = await tour(plain, seenDirect);
  await plain.close();

  const seen = {};
  const client = await stack.connect(bridgeArgs, reference, { capabilities: fullCapabilities, prepare: answering(seen) });
  assert.deepEqual(await tour(client, seen), want);
  assert.deepEqual(want.order, ['progress', 'progress', 'progress', 'result']);
  await client.close();
});

test('the list leaves out what is denied and writes all four hints', async () => {
  const client = await stack.connect(bridgeArgs, reference);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...safeTools].sort());
  for (const tool of tools) {
    assert.deepEqual(tool.annotations, { ...tool.annotations, readOnlyHint: true, destructiveHint: false,
      idempotentHint: true, openWorldHint: false });
  }
  await client.close();
});

test('a denied tool with an output schema shows its reason through the client', async () => {
  const client = await stack.connect(bridgeArgs, reference);
  await client.listTools();
  const result = await client.callTool({ name: 'wipe', arguments: {} });
  assert.equal(result.isError, true);
  assert.equal(denialOf(result).reason_code, 'MODE_TOO_LOW');
  assert.match(result.content[0].text, /mode/);
  await client.close();
});

test('a cancelled call is cancelled at the server', async () => {
  const seen = {};
  const client = await stack.connect(bridgeArgs, reference, { capabilities: fullCapabilities, prepare: answering(seen) });
  const abort = new AbortController();
  await assert.rejects(client.callTool({ name: 'wait', arguments: {} }, undefined,
    { signal: abort.signal, onprogress: () => abort.abort('enough') }));
  await until(async () => { await client.ping(); return seen.logs?.some((log) => log.data === 'cancelled'); },
    'word of the server that it was cancelled');
  await client.close();
});

test('no secret of ours reaches the server', async () => {
  const client = await stack.connect(bridgeArgs, reference);
  const names = (await client.callTool({ name: 'environment', arguments: {} })).content[0].text.split(' ');
  assert.deepEqual(names.filter((name) => name.startsWith('KEEPER')), []);
  assert.ok(names.includes('PATH'));
  await client.close();
});

test('a tool that appears while running stays hidden until it is reviewed', async () => {
  const seen = {};
  const client = await stack.connect(bridgeArgs, reference, { capabilities: fullCapabilities, prepare: answering(seen) });
  await client.listTools();
  await client.callTool({ name: 'grow', arguments: {} });
  const denied = await client.callTool({ name: 'late', arguments: {} });
  assert.equal(denialOf(denied).reason_code, 'TOOL_UNREVIEWED');
  await until(async () => (await stack.keeper('catalog', 'list', '--unreviewed', '--app', 'e2e', '-o', 'json')).includes('"late"'),
    'report of `late`');
  await stack.keeper('catalog', 'review', '--app', 'e2e', '--server', 'ref', 'late', '--risk', 'SAFE', '--yes');
  await until(async () => (await client.listTools()).tools.some((tool) => tool.name === 'late'), 'listing of `late`');
  const allowed = await client.callTool({ name: 'late', arguments: {} });
  assert.equal(allowed.content[0].text, 'late');
  assert.ok(seen.listChanged >= 1);
  await client.close();
});

test('a change of policy reaches a session within a second and tells it once', async () => {
  await stack.keeper('policy', 'set', 'changing', '--mode', 'FULL_ACCESS');
  await stack.review('changing', 'ref', reference, ['wipe'], 'DESTRUCTIVE');
  const seen = {};
  const client = await stack.connect(['--app', 'changing', '--server', 'ref'], reference, { capabilities: fullCapabilities, prepare: answering(seen) });
  const listed = (await client.listTools()).tools;
  assert.deepEqual(listed.map((tool) => [tool.name, tool.annotations.destructiveHint]), [['wipe', true]]);
  assert.equal((await client.callTool({ name: 'wipe', arguments: {} })).isError, undefined);
  await stack.keeper('policy', 'set', 'changing', '--mode', 'READ_ONLY');
  await until(async () => denialOf(await client.callTool({ name: 'wipe', arguments: {} }))?.reason_code === 'MODE_TOO_LOW',
    'denial after the change', 1000);
  await until(async () => { await client.ping(); return seen.listChanged >= 1; }, 'list_changed');
  assert.deepEqual((await client.listTools()).tools, []);
  assert.equal(seen.listChanged, 1);
  await client.close();
});

test('a suspended app is denied everything until it is resumed', async () => {
  await stack.keeper('policy', 'set', 'halted', '--mode', 'READ_ONLY');
  await stack.review('halted', 'ref', reference, ['echo'], 'SAFE');
  const client = await stack.connect(['--app', 'halted', '--server', 'ref'], reference);
  const echo = () => client.callTool({ name: 'echo', arguments: { message: 'x' } });
  assert.equal((await echo()).content[0].text, 'x');
  await stack.keeper('policy', 'suspend', 'halted', '--reason', 'drill');
  await until(async () => denialOf(await echo())?.reason_code === 'SUSPENDED', 'suspension');
  await stack.keeper('policy', 'resume', 'halted');
  await until(async () => !denialOf(await echo()), 'resumption');
  await client.close();
});

test('without a policy every call is denied and no tool is shown', async () => {
  const client = await stack.connect(['--app', 'nobody', '--server', 'ref'], reference);
  assert.deepEqual((await client.listTools()).tools, []);
  const result = await client.callTool({ name: 'echo', arguments: { message: 'x' } });
  assert.equal(denialOf(result).reason_code, 'UNKNOWN_APP');
  await client.close();
});

test('keeperd may be killed and come back: sessions go on, and follow again', async () => {
  await stack.keeper('policy', 'set', 'steady', '--mode', 'READ_ONLY');
  await stack.review('steady', 'ref', reference, ['echo'], 'SAFE');
  const client = await stack.connect(['--app', 'steady', '--server', 'ref'], reference);
  const echo = () => client.callTool({ name: 'echo', arguments: { message: 'x' } });
  assert.equal((await echo()).content[0].text, 'x');
  const address = stack.addresses.grpc_address;
  await stack.stopKeeperd('SIGKILL');
  assert.equal((await echo()).content[0].text, 'x');
  await stack.startKeeperd(address);
  await stack.keeper('policy', 'suspend', 'steady', '--reason', 'drill');
  await until(async () => denialOf(await echo())?.reason_code === 'SUSPENDED', 'suspension after the restart');
  await client.close();
});

test('the Inspector lists and calls through the bridge', async () => {
  // The Inspector keeps `--` for itself, so the bridge's command stands in a script.
  const script = join(stack.dir, 'guarded.sh');
  const quoted = stack.bridgeCommand(bridgeArgs, reference).map((word) => `'${word}'`).join(' ');
  await writeFile(script, `exec ${quoted}\n`);
  const inspect = async (...request) => {
    const { stdout } = await promisify(execFile)(process.execPath,
      [npmFile('@modelcontextprotocol/inspector/cli/build/cli.js'), '--cli',
        '-e', `KEEPER_ADDRESS=${stack.addresses.grpc_address}`, 'sh', script, ...request],
      { env: stack.environment(), timeout: deadlineMs });
    return JSON.parse(stdout);
  };
  const listed = await inspect('--method', 'tools/list');
  assert.ok(listed.tools.some((tool) => tool.name === 'echo'));
  assert.ok(!listed.tools.some((tool) => tool.name === 'wipe'));
  const called = await inspect('--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi');
  assert.equal(called.content[0].text, 'hi');
});
