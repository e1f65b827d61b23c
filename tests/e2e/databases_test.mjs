// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A live PostgreSQL behind `keeper-bridge serve`, as programs that others made meet it,
// unchanged: the data-studio MCP client and the Inspector's command line. Reads, reads that
// are cut, writes that are denied, deletes that are asked.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';

import { Postgres } from './postgres.mjs';
import { Stack, denialOf, npmFile, peerFile, require, slowMs, until, within } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

let postgres;
let stack;
let bridge;

before(async () => {
  postgres = await Postgres.start();
  await postgres.query(`CREATE ROLE agent LOGIN;
    CREATE TABLE customer (id int8 PRIMARY KEY, name text NOT NULL, note text);
    INSERT INTO customer SELECT i, 'Customer ' || i, repeat('x', 100) FROM generate_series(1, 5000) i;
    GRANT SELECT, INSERT, UPDATE, DELETE ON customer TO agent`);
  stack = await Stack.start();
  await stack.keeper('policy', 'set', 'e2e', '--mode', 'READ_ONLY');
  bridge = await stack.serve({
    app: 'e2e',
    connections: {
      shop: { name: 'The shop', type: 'postgres', dsn_env: 'SHOP_DSN', limits: { max_rows: 100 } },
      narrow: { type: 'postgres', dsn_env: 'SHOP_DSN', limits: { max_bytes: 20000 } },
      desk: { type: 'postgres', dsn_env: 'SHOP_DSN', writes: 'allowed' },
    },
    data_studio: { max_risk: 'DESTRUCTIVE' },
  }, { args: ['--announce', 'sqlkit'], env: { SHOP_DSN: postgres.dsn('agent') } });
});
after(async () => {
  await stack?.stop();
  await postgres?.stop();
});

const rows = () => postgres.query('SELECT count(*) FROM customer');
const textOf = (result) => result.content[0].text;

// Policies reach the bridge a moment later: what it does under one is asked until it is so.
async function under(mode, use) {
  await stack.keeper('policy', 'set', 'e2e', ...mode);
  try {
    return await use();
  } finally {
    await stack.keeper('policy', 'set', 'e2e', '--mode', 'READ_ONLY', '--ask-mode', 'CLIENT');
    await until(async () => !(await toolsOf(bridge)).includes('execute_write'), 'the end of the policy', slowMs);
  }
}
const toolsOf = async (url) => (await fetch(`${url}/tools`, { method: 'POST', body: '{}',
  headers: { 'Content-Type': 'application/json' } })).text();

// ---- data-studio-mcp ----------------------------------------------------------------------

async function studio(use) {
  const client = new Client({ name: 'e2e', version: '1' });
  stack.clients.push(client);
  await within(client.connect(new StdioClientTransport({ command: process.execPath,
    args: [peerFile('.bin/data-studio-mcp')], stderr: 'ignore', env: { PATH: process.env.PATH,
      HOME: '/nonexistent', SQLKIT_MCP_PORT: new URL(bridge).port, DATA_STUDIO_DATA_DIR: '/nonexistent' } })),
  'initialize', slowMs);
  const call = (tool, sql, connection) => client.callTool({ name: `data_studio__sqlkit__sqlkit__${tool}`,
    arguments: { connection_id: connection, ...(sql && { sql }) } });
  const lists = (tool) => until(async () => (await client.listTools()).tools
    .some(({ name }) => name === `data_studio__sqlkit__sqlkit__${tool}`), `tool ${tool}`, slowMs);
  try {
    await lists('execute_query');
    await use({ client, call, lists });
  } finally {
    await client.close();
  }
}

test('data-studio-mcp reads', () => studio(async ({ client, call }) => {
  const connections = textOf(await client.callTool({ name: 'data_studio__list_connections', arguments: {} }));
  assert.match(connections, /The shop/);
  assert.doesNotMatch(connections, /host=/);
  const read = JSON.parse(textOf(await call('execute_query', 'SELECT id, name FROM customer WHERE id = 7', 'shop')));
  assert.deepEqual(read.rows, [{ id: 7, name: 'Customer 7' }]);
  assert.equal(read.truncated, false);
  assert.match(textOf(await call('list_tables', undefined, 'shop')), /"customer"/);
  assert.match(textOf(await call('explain_query', 'SELECT * FROM customer WHERE id = 7', 'shop')), /Index Scan/);
}));

test('data-studio-mcp is told what cut a read', () => studio(async ({ call }) => {
  const byRows = JSON.parse(textOf(await call('execute_query', 'SELECT * FROM customer ORDER BY id', 'shop')));
  assert.deepEqual([byRows.rows.length, byRows.truncated, byRows.truncatedBy], [100, true, 'rows']);
  const byBytes = JSON.parse(textOf(await call('execute_query', 'SELECT * FROM customer', 'narrow')));
  assert.deepEqual([byBytes.truncated, byBytes.truncatedBy], [true, 'bytes']);
  assert.ok(byBytes.rows.length > 10 && byBytes.rows.length < 1000, `${byBytes.rows.length}`);
  const exact = JSON.parse(textOf(await call('execute_query', 'SELECT id FROM customer LIMIT 100', 'shop')));
  assert.deepEqual([exact.rows.length, exact.truncated], [100, false]);
}));

test('a write that data-studio-mcp sends as a read is denied, and nothing is changed', () => studio(async ({ call }) => {
  for (const sql of ['DELETE FROM customer', 'SELECT 1; DELETE FROM customer',
    'WITH gone AS (DELETE FROM customer RETURNING id) SELECT * FROM gone', 'EXPLAIN ANALYZE DELETE FROM customer']) {
    for (const connection of ['shop', 'desk']) {
      const denied = await call('execute_query', sql, connection);
      assert.equal(denied.isError, true, sql);
      assert.equal(denied.structuredContent.status, 403, textOf(denied));
    }
  }
  assert.equal(await rows(), '5000');
}));

test('data-studio-mcp cannot be asked, so a delete that wants it does not run', () => studio(async ({ call, lists }) => {
  const sql = 'DELETE FROM customer WHERE id = 5000';
  // Nobody can be asked by this client's protocol, so the bridge does not run it.
  await under(['--mode', 'FULL_ACCESS', '--ask-mode', 'ELICIT'], async () => {
    await lists('execute_delete');
    const asked = await call('execute_delete', sql, 'desk');
    assert.equal(asked.isError, true);
    assert.equal(asked.structuredContent.status, 403, textOf(asked));
    assert.match(textOf(asked), /no way to ask/);
    assert.equal(await rows(), '5000');
  });
}));

// ---- the Inspector's command line -----------------------------------------------------------

function inspect(tool, ...args) {
  const command = [npmFile('.bin/mcp-inspector'), '--cli', `${bridge}/servers/databases/mcp`, '--transport', 'http',
    '--method', 'tools/call', '--tool-name', tool, ...args.flatMap((arg) => ['--tool-arg', arg])];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { env: stack.environment(), timeout: slowMs }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') return reject(new Error(`${error.signal}: ${stderr}`));
      return stdout ? resolve(JSON.parse(stdout)) : reject(new Error(stderr));
    });
  });
}

test('the Inspector reads, and is told what cut a read', async () => {
  const read = JSON.parse(textOf(await inspect('sqlkit__execute_query', 'connection_id=shop',
    'sql=SELECT name FROM customer WHERE id < 3 ORDER BY id')));
  assert.deepEqual(read.rows, [{ name: 'Customer 1' }, { name: 'Customer 2' }]);
  const cut = JSON.parse(textOf(await inspect('execute_query', 'connection_id=shop', 'sql=SELECT id FROM customer')));
  assert.deepEqual([cut.rows.length, cut.truncatedBy], [100, 'rows']);
});

test('a write of the Inspector is denied with its reason', async () => {
  const denied = await inspect('sqlkit__execute_query', 'connection_id=desk', 'sql=DELETE FROM customer');
  assert.equal(denied.isError, true);
  assert.equal(denialOf(denied).reason_code, 'STATEMENT_EXCEEDS_TOOL');
  const low = await inspect('sqlkit__execute_write', 'connection_id=desk', "sql=UPDATE customer SET name = 'x'");
  assert.equal(denialOf(low).reason_code, 'MODE_TOO_LOW');
  assert.equal(await rows(), '5000');
});

test('the Inspector, which cannot be asked, does not delete', async () => {
  await under(['--mode', 'FULL_ACCESS', '--ask-mode', 'ELICIT'], async () => {
    const asked = await until(async () => {
      const result = await inspect('sqlkit__execute_delete', 'connection_id=desk',
        'sql=DELETE FROM customer WHERE id = 5000');
      return denialOf(result)?.reason_code !== 'MODE_TOO_LOW' && result;
    }, 'the new mode');
    assert.equal(asked.isError, true);
    assert.equal(denialOf(asked).reason_code, 'NO_WAY_TO_ASK');
  });
  assert.equal(await rows(), '5000');
});

// ---- a client that can be asked -------------------------------------------------------------

for (const [action, left] of [['decline', '5000'], ['accept', '4999']]) {
  test(`a person is asked before a delete, and may ${action}`, () => under(
    ['--mode', 'FULL_ACCESS', '--ask-mode', 'ELICIT'], async () => {
      const asked = [];
      const client = new Client({ name: 'e2e', version: '1' }, { capabilities: { elicitation: {} } });
      client.setRequestHandler(types.ElicitRequestSchema, async ({ params }) => {
        asked.push(params.message);
        return { action, ...(action === 'accept' ? { content: {} } : {}) };
      });
      stack.clients.push(client);
      await within(client.connect(new StreamableHTTPClientTransport(new URL(`${bridge}/servers/databases/mcp`))),
        'initialize', slowMs);
      await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'sqlkit__execute_delete'),
        'list with the new mode');
      const result = await client.callTool({ name: 'sqlkit__execute_delete',
        arguments: { connection_id: 'desk', sql: 'DELETE FROM customer WHERE id = 5000' } });
      assert.equal(asked.length, 1, JSON.stringify(result));
      assert.match(asked[0], /DELETE FROM customer WHERE id = 5000/);
      if (action === 'decline') assert.equal(denialOf(result).reason_code, 'ASK_DECLINED');
      assert.equal(await rows(), left);
      await client.close();
    }));
}
