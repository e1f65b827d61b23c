// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Plays an agent against a running keeperd: calls tools through keeper-bridge and
// prints what came back, one step after the other. Each step checks its outcome;
// the exit code is 1 where one was not as it must be.
//
//   node demo.mjs BIN_DIR FILES_DIR     KEEPER_ADDRESS and KEEPER_TOKEN in the environment

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';

const npmRoot = new URL('../../tests/npm/package.json', import.meta.url);
const require = createRequire(npmRoot);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');

const [binDir, filesDir] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const paint = process.stdout.isTTY ? (code, text) => `\x1b[${code}m${text}\x1b[0m` : (_, text) => text;
const colours = { ALLOW: 32, ASK: 33, DENY: 31 };
let failures = 0;

function heading(text) {
  console.log(`\n${paint(1, text)}`);
}

function check(condition, expectation) {
  if (condition) return;
  failures += 1;
  console.log(paint(31, `  not as it must be: ${expectation}`));
}

async function keeper(...args) {
  console.log(`  $ keeper ${args.join(' ')}`);
  const { stdout } = await promisify(execFile)(join(binDir, 'keeper'), args);
  for (const line of stdout.trimEnd().split('\n')) if (line) console.log(`    ${line}`);
}

// An agent's session: an MCP client whose server is the bridge.
async function connect(bridgeArgs, command) {
  const client = new Client({ name: 'demo-agent', version: '1' });
  let changed = () => {};
  const listChanged = { next: () => new Promise((resolve) => { changed = resolve; }) };
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => changed());
  await client.connect(new StdioClientTransport({
    command: join(binDir, 'keeper-bridge'),
    args: ['stdio', ...bridgeArgs, '--', ...command],
    env: { ...process.env },
    stderr: 'ignore',
  }));
  return { client, listChanged };
}

async function call(client, name, args) {
  const hints = (await client.listTools()).tools.find((tool) => tool.name === name)?.annotations ?? {};
  const result = await client.callTool({ name, arguments: args });
  const denial = result._meta?.['bridgekeeper/denial'];
  const verdict = denial ? 'DENY' : hints.destructiveHint ? 'ASK' : 'ALLOW';
  console.log(`  agent calls ${name} ${JSON.stringify(args)}`);
  if (verdict === 'ASK') console.log('    the client shows destructiveHint: true to its user, who says yes');
  console.log(`    ${paint(colours[verdict], verdict)} ${denial ? `${denial.reason_code}: ` : ''}${result.content[0].text}`);
  return { verdict, reason: denial?.reason_code, failed: result.isError === true && !denial };
}

async function guardedDatabase() {
  heading('1. A guarded database: staging may be changed, production only read');
  await keeper('policy', 'put', '-f', join(here, 'sample-policy.yaml'));
  await keeper('connections', 'put', '-f', join(here, 'sample-connections.yaml'));
  const { client } = await connect(['--app', 'sqlkit', '--server', 'sample', '--catalog', 'data-studio'],
    [process.execPath, join(here, 'sample-database.mjs')]);

  const query = await call(client, 'sqlkit__execute_query',
    { connection_id: 'production', sql: 'select name, city from customers order by id limit 2' });
  check(query.verdict === 'ALLOW' && !query.failed, 'a read on production is allowed and runs');

  const del = await call(client, 'sqlkit__execute_delete',
    { connection_id: 'staging', sql: 'delete from orders where id = 12' });
  check(del.verdict === 'ASK' && !del.failed, 'a delete on staging is asked and let through');

  const denied = await call(client, 'sqlkit__execute_delete',
    { connection_id: 'production', sql: 'delete from orders' });
  check(denied.reason === 'CONNECTION_ACTION_NOT_ALLOWED', 'a delete on production is denied');

  const hidden = await call(client, 'sqlkit__execute_query', { connection_id: 'staging',
    sql: 'with gone as (delete from orders returning *) select count(*) from gone' });
  check(hidden.reason === 'STATEMENT_EXCEEDS_TOOL', 'a delete inside a query is denied');
  return client;
}

async function policyChange(client) {
  heading('2. The policy changes; nothing is restarted');
  await keeper('policy', 'set', 'sqlkit', '--mode', 'READ_ONLY');
  const since = Date.now();
  let answer;
  do {
    answer = await client.callTool({ name: 'sqlkit__execute_delete',
      arguments: { connection_id: 'staging', sql: 'delete from orders where id = 11' } });
  } while (!answer._meta?.['bridgekeeper/denial'] && Date.now() - since < 5000);
  const denial = answer._meta?.['bridgekeeper/denial'];
  console.log('  agent calls sqlkit__execute_delete on staging once more');
  console.log(`    ${paint(31, 'DENY')} ${denial?.reason_code}: ${answer.content[0].text}`);
  console.log(`    (${Date.now() - since} ms after the change)`);
  check(denial?.reason_code === 'MODE_TOO_LOW' && Date.now() - since < 1000, 'denied within a second');
}

async function strangersServer() {
  heading("3. A stranger's server shows no tool until somebody reviewed it");
  await keeper('policy', 'set', 'files', '--mode', 'DATA_READ_WRITE');
  const { client, listChanged } = await connect(['--app', 'files', '--server', 'disk'],
    [process.execPath, fileURLToPath(new URL('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', npmRoot)), filesDir]);
  const before = (await client.listTools()).tools.length;
  console.log(`  the agent sees ${before} tools`);
  check(before === 0, 'no tool is shown');

  const changed = listChanged.next();
  await reported('files', 'disk');
  await keeper('catalog', 'review', '--app', 'files', '--server', 'disk', '--suggested', '--yes');
  await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, 5000))]);
  const after = (await client.listTools()).tools;
  console.log(`  the agent sees ${after.length} tools: ${after.map((tool) => tool.name).join(', ')}`);
  check(after.length > 0, 'reviewed tools are shown');
  await client.close();
}

// The bridge reports what its server lists in the background.
async function reported(app, server) {
  const until = Date.now() + 10000;
  while (Date.now() < until) {
    const { stdout } = await promisify(execFile)(join(binDir, 'keeper'),
      ['catalog', 'list', '--unreviewed', '--app', app, '--server', server, '-o', 'json']);
    if (stdout.includes('"tool"')) return;
  }
  check(false, 'the bridge reports the tools of its server');
}

const client = await guardedDatabase();
await policyChange(client);
await client.close();
await strangersServer();
process.exit(failures === 0 ? 0 : 1);
