// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The server of bk_mcp_echo once more, written as people write servers: with the
// official SDK.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../npm/package.json', import.meta.url));
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { z } = require('zod');

const server = new McpServer({ name: 'sdk_server', version: '1' });
server.registerTool('echo', { description: 'Answers at once.', inputSchema: { text: z.string() },
  annotations: { readOnlyHint: true } }, async ({ text }) => ({ content: [{ type: 'text', text }] }));
await server.connect(new StdioServerTransport());
