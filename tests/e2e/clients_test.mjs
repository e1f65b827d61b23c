// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Programs that others made, unchanged, on either side of keeper-bridge: the data-studio MCP
// client, the Inspector's command line, and the proxies mcp-proxy and supergateway.
//
// Run in a network of its own (CMakeLists.txt): the proxies take no port 0, and supergateway
// binds every address.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Stack, denialOf, here, npmFile, peerFile, require, slowMs, until, within } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const reference = [process.execPath, here('reference_server.mjs')];
const bin = (name) => [process.execPath, peerFile(`.bin/${name}`)];
let stack;
let bridge;

before(async () => {
  stack = await Stack.start();
  await stack.keeper('policy', 'set', 'e2e', '--mode', 'DATA_READ_WRITE');
  await stack.review('e2e', 'ref', reference, ['echo', 'structured', 'ask_user'], 'SAFE');
  await stack.review('e2e', 'ref', reference, ['grow'], 'ELEVATED');
  await stack.review('e2e', 'ref', reference, ['wipe'], 'DESTRUCTIVE');
  bridge = await stack.serve({ app: 'e2e', servers: { ref: { command: reference } },
    data_studio: { max_risk: 'DESTRUCTIVE' } }, { args: ['--announce', 'sqlkit'] });
});
after(() => stack?.stop());

// A client of the official SDK.
async function connect(transport, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities });
  prepare(client);
  stack.clients.push(client);
  await within(client.connect(transport, { timeout: slowMs }), 'initialize', slowMs);
  return client;
}
const overStdio = ([command, ...args], env = stack.environment()) =>
  new StdioClientTransport({ command, args, env, stderr: 'ignore' });
const overHttp = (url) => new StreamableHTTPClientTransport(new URL(url));

const names = async (client) => (await client.listTools()).tools.map(({ name }) => name).sort();
const textOf = (result) => result.content[0].text;
const echo = (client, name = 'echo') => client.callTool({ name, arguments: { message: 'é \u{1F600}' } });

// Nobody else is in this network, so that a port that was free still is.
async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

// Starts a program that listens on a port of its own; returns its URL.
async function listening(command) {
  const port = await freePort();
  const program = stack.run(command(port), { env: stack.environment() }).drain();
  let how;
  program.ended.then((end) => { how = `${end}`; });
  await until(() => {
    assert.equal(how, undefined, 'it has ended');
    return fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false);
  }, `answer on port ${port}`, slowMs);
  return `http://127.0.0.1:${port}/mcp`;
}

// ---- data-studio-mcp ----------------------------------------------------------------------

const studio = (args = [], env = {}) => overStdio([...bin('data-studio-mcp'), ...args],
  { PATH: process.env.PATH, HOME: '/nonexistent', ...env });
const byVariable = () => ({ SQLKIT_MCP_PORT: new URL(bridge).port, DATA_STUDIO_DATA_DIR: '/nonexistent' });
const byPortFile = () => ({ DATA_STUDIO_DATA_DIR: stack.dir });

for (const [how, env] of [['the variable', byVariable], ['the port file', byPortFile]]) {
  test(`data-studio-mcp finds the bridge by ${how}, lists what the policy shows and calls`, async () => {
    const client = await connect(studio([], env()));
    await until(async () => (await names(client)).includes('data_studio__sqlkit__echo'), 'list of the bridge', slowMs);
    const { tools } = await client.listTools();
    const find = (name) => tools.find((tool) => tool.name === `data_studio__sqlkit__${name}`);
    assert.equal(find('echo').annotations.readOnlyHint, true);
    assert.equal(find('grow').annotations.readOnlyHint, false);
    assert.equal(find('wipe'), undefined, 'hidden by the mode');
    const { result } = JSON.parse(textOf(await echo(client, 'data_studio__sqlkit__echo')));
    assert.equal(result, 'é \u{1F600}');
    const status = await client.callTool({ name: 'data_studio__get_status', arguments: {} });
    assert.match(textOf(status), /sqlkit/);
    await client.close();
  });
}

test('a call that the policy denies reaches the model of data-studio-mcp with its reason', async () => {
  const client = await connect(studio([], byVariable()));
  await until(async () => (await names(client)).includes('data_studio__sqlkit__grow'), 'list of the bridge', slowMs);
  await stack.keeper('policy', 'set', 'e2e', '--mode', 'READ_ONLY');
  try {
    const denied = await until(async () => {
      const result = await client.callTool({ name: 'data_studio__sqlkit__grow', arguments: {} });
      return result.isError && result;
    }, 'denial');
    assert.match(textOf(denied), /`mode`.*administrator/s);
    assert.equal(denied.structuredContent.status, 403);
  } finally {
    await stack.keeper('policy', 'set', 'e2e', '--mode', 'DATA_READ_WRITE');
  }
  await client.close();
});

test('data-studio-mcp --readonly keeps the tools that are safe', async () => {
  const client = await connect(studio(['--readonly'], byVariable()));
  await until(async () => (await names(client)).includes('data_studio__sqlkit__echo'), 'list of the bridge', slowMs);
  assert.deepEqual(await names(client), ['data_studio__get_status', 'data_studio__list_connections',
    ...['ask_user', 'echo', 'structured'].map((name) => `data_studio__sqlkit__${name}`)]);
  await client.close();
});

test('the port file goes with the bridge', async () => {
  const home = join(stack.dir, 'home');
  const url = await stack.serve({ app: 'e2e', servers: { ref: { command: reference } } },
    { args: ['--announce', 'dockit'], env: { HOME: home } });
  const file = join(home, '.local/share/club.geekfun.dockit/mcp-port');
  await access(file);
  assert.ok(url);
  await stack.programs.at(-1).end();
  await assert.rejects(access(file), { code: 'ENOENT' });
});

// ---- the Inspector's command line ------------------------------------------------------------

function inspect(...args) {
  return new Promise((resolve, reject) => {
    execFile(...((all) => [all[0], all.slice(1)])([process.execPath, npmFile('.bin/mcp-inspector'), '--cli', ...args]),
      { env: stack.environment(), timeout: slowMs }, (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') return reject(new Error(`${error.signal}: ${stderr}`));
        return resolve({ code: error?.code ?? 0, said: stdout && JSON.parse(stdout), stderr });
      });
  });
}

for (const [path, prefix] of [['/mcp', 'ref__'], ['/servers/ref/mcp', '']]) {
  test(`the Inspector lists and calls at ${path}`, async () => {
    const at = [bridge + path, '--transport', 'http', '--method'];
    const list = await inspect(...at, 'tools/list');
    assert.deepEqual(list.said.tools.map(({ name }) => name).sort(),
      ['ask_user', 'echo', 'grow', 'structured'].map((name) => prefix + name), list.stderr);
    const called = await inspect(...at, 'tools/call', '--tool-name', `${prefix}echo`, '--tool-arg', 'message=hello');
    assert.deepEqual(called.said.content, [{ type: 'text', text: 'hello' }], called.stderr);
    const denied = await inspect(...at, 'tools/call', '--tool-name', `${prefix}wipe`);
    assert.equal(denied.said.isError, true, denied.stderr);
    assert.equal(denied.said._meta['bridgekeeper/denial'].reason_code, 'MODE_TOO_LOW');
  });
}

// ---- proxies --------------------------------------------------------------------------------

const proxies = {
  'mcp-proxy': (command) => (port) => [...bin('mcp-proxy'), '--host', '127.0.0.1', '--port', `${port}`,
    '--server', 'stream', '--', ...command],
  supergateway: (command) => (port) => [...bin('supergateway'), '--stdio', command.map((word) => `'${word}'`).join(' '),
    '--outputTransport', 'streamableHttp', '--stateful', '--port', `${port}`, '--logLevel', 'none'],
};
const bridgeOf = () => stack.bridgeCommand(['--app', 'e2e', '--server', 'ref'], reference);

// What a client sees of the bridge, whatever stands between them.
async function tour(client, prefix = '') {
  assert.deepEqual(await names(client), ['ask_user', 'echo', 'grow', 'structured'].map((name) => prefix + name));
  assert.equal(textOf(await echo(client, `${prefix}echo`)), 'é \u{1F600}');
  const structured = await client.callTool({ name: `${prefix}structured`, arguments: {} });
  assert.deepEqual(structured.structuredContent, { total: 3 });
  const denied = await client.callTool({ name: `${prefix}wipe`, arguments: {} });
  assert.equal(denied.isError, true);
  assert.equal(denialOf(denied).reason_code, 'MODE_TOO_LOW');
}

for (const [name, proxy] of Object.entries(proxies)) {
  test(`${name} in front of the stdio bridge`, async () => {
    const client = await connect(overHttp(await listening(proxy(bridgeOf()))));
    await tour(client);
    await client.close();
  });

  test(`${name} behind the bridge, in front of the server`, async () => {
    // supergateway is the client that makes its stream a pair of pipes again.
    const behind = await listening(proxy(reference));
    const url = await stack.serve({ app: 'e2e', servers: { [name]: { command:
      [...bin('supergateway'), '--streamableHttp', behind, '--logLevel', 'none'] } } });
    const client = await connect(overHttp(`${url}/mcp`));
    // Another command is another server: nobody has reviewed its tools.
    await stack.reviewServed('e2e', name, client,
      { echo: 'SAFE', structured: 'SAFE', ask_user: 'SAFE', grow: 'ELEVATED', wipe: 'DESTRUCTIVE' });
    await until(async () => (await names(client)).length === 4, 'list without what is hidden');
    await tour(client, `${name}__`);
    await client.close();
  });
}

test('supergateway as the client of the bridge', async () => {
  const client = await connect(overStdio([...bin('supergateway'), '--streamableHttp', `${bridge}/servers/ref/mcp`,
    '--logLevel', 'none']));
  await tour(client);
  await client.close();
});

// ---- asking the user ----------------------------------------------------------------------------

for (const action of ['accept', 'decline']) {
  test(`the SDK's client is asked before a destructive call, and may ${action}`, async () => {
    await stack.keeper('policy', 'set', 'e2e', '--mode', 'FULL_ACCESS', '--ask-mode', 'ELICIT');
    const asked = [];
    const client = await connect(overHttp(`${bridge}/servers/ref/mcp`), { elicitation: {} }, (fresh) => {
      fresh.setRequestHandler(types.ElicitRequestSchema, async ({ params }) => {
        asked.push(params.message);
        return { action, ...(action === 'accept' ? { content: {} } : {}) };
      });
    });
    await until(async () => (await names(client)).includes('wipe'), 'list with the new mode');
    const result = await client.callTool({ name: 'wipe', arguments: {} });
    assert.equal(asked.length, 1);
    assert.match(asked[0], /Tool: wipe\nServer: ref\nApp: e2e\n/);
    if (action === 'accept') {
      assert.deepEqual(result.structuredContent, { deleted: 0 });
    } else {
      assert.equal(denialOf(result).reason_code, 'ASK_DECLINED');
    }
    await client.close();
    await stack.keeper('policy', 'set', 'e2e', '--mode', 'DATA_READ_WRITE', '--ask-mode', 'CLIENT');
  });
}
