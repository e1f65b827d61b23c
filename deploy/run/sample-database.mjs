// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A database behind an MCP server that guards nothing: PGlite (PostgreSQL in
// WebAssembly, in memory) with two connections, `staging` and `production`, and the
// tools that data-studio's sqlkit has. It runs whatever it is given; what keeps an
// agent away from production is the bridge in front of it.
//
//   node sample-database.mjs        speaks MCP on standard input and output

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../tests/npm/package.json', import.meta.url));
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const { PGlite } = require('@electric-sql/pglite');

const sampleRows = `
  create table customers (id int primary key, name text not null, city text not null);
  insert into customers values
    (1, 'Ada', 'London'), (2, 'Grace', 'New York'), (3, 'Linus', 'Helsinki'), (4, 'Barbara', 'Boston');
  create table orders (id int primary key, customer int references customers, total numeric(10, 2));
  insert into orders values (10, 1, 19.90), (11, 2, 250.00), (12, 2, 4.20);`;

const databases = new Map();

async function database(name) {
  if (name !== 'staging' && name !== 'production') {
    throw new Error(`unknown connection: got ${JSON.stringify(name)}, want staging or production`);
  }
  if (!databases.has(name)) {
    databases.set(name, (async () => {
      const db = new PGlite();
      await db.exec(sampleRows);
      return db;
    })());
  }
  return databases.get(name);
}

const connection = { type: 'string', description: 'staging or production' };
const withSql = {
  type: 'object',
  properties: { connection_id: connection, sql: { type: 'string', description: 'one SQL statement' } },
  required: ['connection_id', 'sql'],
};
const tools = [
  { name: 'sqlkit__list_tables', description: 'Lists the tables of a connection.',
    inputSchema: { type: 'object', properties: { connection_id: connection }, required: ['connection_id'] } },
  { name: 'sqlkit__execute_query', description: 'Runs a query and returns its rows.', inputSchema: withSql },
  { name: 'sqlkit__execute_write', description: 'Runs an INSERT or UPDATE.', inputSchema: withSql },
  { name: 'sqlkit__execute_delete', description: 'Runs a DELETE.', inputSchema: withSql },
  { name: 'sqlkit__execute_ddl', description: 'Runs a statement that changes the schema.', inputSchema: withSql },
];

async function run(name, { connection_id, sql }) {
  const db = await database(connection_id);
  const text = name === 'sqlkit__list_tables'
    ? "select tablename from pg_tables where schemaname = 'public' order by 1" : sql;
  const { rows, affectedRows } = await db.query(text);
  return { rows, rowsAffected: affectedRows ?? 0 };
}

const server = new Server({ name: 'sample-database', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await run(params.name, params.arguments ?? {})) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: String(error.message) }], isError: true };
  }
});
await server.connect(new StdioServerTransport());
