// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A server of the official SDK that speaks Streamable HTTP behind the bridge, and a client
// of the same SDK in front of it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import { Stack, binDir, deadlineMs, denialOf, require, until, within } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { CallToolRequestSchema, ElicitRequestSchema, ElicitResultSchema, ListToolsRequestSchema,
  ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');

const secret = 'Bearer e2e-upstream-secret';

// The server behind the bridge. `tools` may change while it runs.
class FarServer {
  static async start() {
    const far = new FarServer();
    far.names = ['echo', 'slow', 'ask', 'progress', 'wipe'];
    far.sessions = new Map();
    far.headers = [];
    far.calls = [];
    far.cancelled = [];
    far.http = createServer((request, response) => far.handle(request, response));
    far.http.listen(0, '127.0.0.1');
    await once(far.http, 'listening');
    far.url = `http://127.0.0.1:${far.http.address().port}/mcp`;
    return far;
  }

  async handle(request, response) {
    this.headers.push(request.headers);
    if (request.headers.authorization !== secret) return response.writeHead(401).end();
    const session = this.sessions.get(request.headers['mcp-session-id']);
    if (session) return session.transport.handleRequest(request, response);
    if (request.headers['mcp-session-id']) return response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.sessions.set(id, { transport, server }),
      onsessionclosed: (id) => this.sessions.delete(id),
    });
    const server = this.makeServer();
    await server.connect(transport);
    return transport.handleRequest(request, response);
  }

  makeServer() {
    const server = new Server({ name: 'far', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: this.names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      this.calls.push(params.name);
      const text = (value) => ({ content: [{ type: 'text', text: value }] });
      if (params.name === 'slow') {
        await once(extra.signal, 'abort');
        this.cancelled.push(params.name);
        return text('too late');
      }
      if (params.name === 'ask') {
        const answer = await extra.sendRequest({ method: 'elicitation/create', params: {
          message: 'sure?', requestedSchema: { type: 'object', properties: {} } } }, ElicitResultSchema);
        return text(answer.action);
      }
      if (params.name === 'progress') {
        for (let i = 1; i <= 3; ++i) {
          await extra.sendNotification({ method: 'notifications/progress', params: {
            progressToken: extra._meta.progressToken, progress: i, total: 3 } });
        }
        return text('3 steps');
      }
      return text(`${params.name} ${JSON.stringify(params.arguments)}`);
    });
    return server;
  }

  // As a restart does: what it knew of its clients is gone.
  forget() { this.sessions.clear(); }

  stop() {
    this.http.closeAllConnections();
    this.http.close();
  }
}

let stack;
let far;
let bridge;
let bridgeUrl;
const bridgeLog = [];

async function connect(path, capabilities = {}) {
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities });
  stack.clients.push(client);
  await within(client.connect(new StreamableHTTPClientTransport(new URL(path, bridgeUrl))), 'initialize');
  return client;
}

before(async () => {
  stack = await Stack.start();
  far = await FarServer.start();
  const config = join(stack.dir, 'bridge.yaml');
  await writeFile(config, [
    'app: far-app', 'listen: "127.0.0.1:0"', 'servers:', '  far:', `    url: ${far.url}`,
    '    headers:', '      Authorization: {env: FAR_AUTHORIZATION}', ''].join('\n'), { mode: 0o600 });
  bridge = spawn(join(binDir, 'keeper-bridge'), ['serve', '--config', config],
    { env: { ...stack.environment(), FAR_AUTHORIZATION: secret }, stdio: ['ignore', 'ignore', 'pipe'] });
  const serving = new Promise((resolve, reject) => {
    createInterface({ input: bridge.stderr }).on('line', (line) => {
      bridgeLog.push(line);
      if (!line.startsWith('{')) return;
      const event = JSON.parse(line);
      if (event.message === 'serving') resolve(event.address);
    });
    bridge.once('exit', (code) => reject(new Error(`the bridge ended with ${code}:\n${bridgeLog.join('\n')}`)));
  });
  bridgeUrl = `http://${await within(serving, 'line that says the bridge is serving')}`;
  await stack.keeper('policy', 'set', 'far-app', '--mode', 'READ_ONLY');
  const client = await connect('/servers/far/mcp');
  await client.listTools();
  await until(async () => (await stack.keeper('catalog', 'list', '--unreviewed', '--app', 'far-app', '--server', 'far',
    '-o', 'json')).includes('"echo"'), 'report of the tools');
  await stack.keeper('catalog', 'review', '--app', 'far-app', '--server', 'far', 'echo', 'slow', 'ask', 'progress',
    '--risk', 'SAFE', '--yes');
  await stack.keeper('catalog', 'review', '--app', 'far-app', '--server', 'far', 'wipe', '--risk', 'DESTRUCTIVE',
    '--yes');
  await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'echo'), 'reviewed tool');
  await client.close();
});

after(async () => {
  if (bridge && bridge.exitCode === null) {
    const ended = once(bridge, 'exit');
    bridge.kill('SIGTERM');
    assert.deepEqual(await within(ended, 'end of the bridge'), [0, null]);
    // It has ended its session.
    assert.equal(far.sessions.size, 0);
  }
  far?.stop();
  await stack?.stop();
  assert.ok(!bridgeLog.join('\n').includes('e2e-upstream-secret'));
});

test('an allowed tool runs, and a denied one does not reach the server', async () => {
  const client = await connect('/mcp');
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['far__echo', 'far__slow', 'far__ask', 'far__progress']);
  const result = await client.callTool({ name: 'far__echo', arguments: { a: 1 } });
  assert.equal(result.content[0].text, 'echo {"a":1}');
  const denied = await client.callTool({ name: 'far__wipe', arguments: {} });
  assert.equal(denied.isError, true);
  assert.equal(denialOf(denied).reason_code, 'MODE_TOO_LOW');
  assert.ok(!far.calls.includes('wipe'));
});

test('the server gets the credential of the configuration and none of the client', async () => {
  const client = new Client({ name: 'e2e', version: '1' }, {});
  stack.clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL('/servers/far/mcp', bridgeUrl),
    { requestInit: { headers: { Authorization: 'Bearer of-the-client', 'X-Of-The-Client': '1' } } }));
  await client.callTool({ name: 'echo', arguments: {} });
  assert.ok(far.headers.every((headers) => headers.authorization === secret));
  assert.ok(far.headers.every((headers) => !('x-of-the-client' in headers)));
});

test('progress and questions reach the client that made the call', async () => {
  const client = await connect('/servers/far/mcp', { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }));
  const steps = [];
  await client.callTool({ name: 'progress', arguments: {} }, undefined,
    { onprogress: ({ progress }) => steps.push(progress) });
  assert.deepEqual(steps, [1, 2, 3]);
  const asked = await client.callTool({ name: 'ask', arguments: {} });
  assert.equal(asked.content[0].text, 'decline');
});

test('a cancellation reaches the server', async () => {
  const client = await connect('/servers/far/mcp');
  const stop = new AbortController();
  const call = client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: stop.signal });
  await until(() => far.calls.includes('slow'), 'call of `slow`');
  stop.abort();
  await assert.rejects(call);
  await until(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return far.cancelled.includes('slow');
  }, 'cancellation');
});

test('a change of the list reaches the client', async (t) => {
  const client = await connect('/servers/far/mcp');
  await client.listTools();
  const changed = new Promise((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, resolve);
  });
  const { names } = far;
  // Other tests see the list that they know, in whatever order they run.
  t.after(async () => {
    far.names = names;
    await Promise.all([...far.sessions.values()].map(({ server }) => server.sendToolListChanged()));
    await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'progress'), 'whole list');
  });
  far.names = names.filter((name) => name !== 'progress');
  await Promise.all([...far.sessions.values()].map(({ server }) => server.sendToolListChanged()));
  await within(changed, 'notification', deadlineMs);
  assert.ok(!(await client.listTools()).tools.some(({ name }) => name === 'progress'));
});

test('a server that has lost its sessions is begun with again', async () => {
  const client = await connect('/servers/far/mcp');
  await client.callTool({ name: 'echo', arguments: {} });
  far.forget();
  const before = far.calls.length;
  // Where the list has changed a moment ago: until it was read again nothing is sent twice.
  let result;
  await until(async () => {
    result = await client.callTool({ name: 'echo', arguments: { after: true } }).catch(() => undefined);
    return result;
  }, 'call in the new session');
  assert.equal(result.content[0].text, 'echo {"after":true}');
  assert.equal(far.calls.length, before + 1);
  assert.equal(far.sessions.size, 1);
});
