// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The client that the conformance suite tests, where the client is keeper-bridge: it starts a
// bridge in front of the suite's server, and does through it what a scenario wants done.
//
//   KEEPER_ADDRESS=... MCP_CONFORMANCE_SCENARIO=... node conformance_client.mjs URL

import { Stack, require, within } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

// By scenario: the tools that it wants called.
const calls = {
  initialize: [],
  tools_call: [['add_numbers', { a: 5, b: 3 }]],
  'elicitation-sep1034-client-defaults': [['test_client_elicitation_defaults', {}]],
  'sse-retry': [['test_reconnection', {}]],
};

const stack = await Stack.beside(process.env.KEEPER_ADDRESS);
try {
  const bridge = await stack.serve({ app: 'conf-client', servers: { suite: { url: process.argv[2] } } });
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities: { elicitation: { form: { applyDefaults: true } } } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
  stack.clients.push(client);
  await within(client.connect(new StreamableHTTPClientTransport(new URL(`${bridge}/servers/suite/mcp`))), 'initialize');
  await client.listTools();
  for (const [name, args] of calls[process.env.MCP_CONFORMANCE_SCENARIO]) {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  }
} finally {
  await stack.stop();
}
