// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An MCP server that offers every tool of the data-studio apps by its name, and answers a
// call with the tool's name.

import { readFileSync } from 'node:fs';

import { here, require } from './stack.mjs';

const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const names = readFileSync(here('../vectors/tool_arguments.tsv'), 'utf8').split('\n')
  .filter((line) => line.includes('__')).map((line) => line.split('\t')[0]);

const server = new Server({ name: 'studio', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
  content: [{ type: 'text', text: `ran ${params.name}` }],
}));
await server.connect(new StdioServerTransport());
