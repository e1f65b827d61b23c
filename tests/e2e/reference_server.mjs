// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An MCP server that uses every feature a bridge has to pass on: sampling,
// elicitation, progress, logging, cancellation, resources, prompts, completion,
// structured content, a tool list that changes.

import { require } from './stack.mjs';

const { McpServer, ResourceTemplate } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { completable } = require('@modelcontextprotocol/sdk/server/completable.js');
const { z } = require('zod');

const server = new McpServer({ name: 'reference', version: '1' },
  { capabilities: { logging: {}, resources: { subscribe: true }, completions: {} } });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

server.registerTool('echo', { description: 'Says it back.', inputSchema: { message: z.string() },
  annotations: { readOnlyHint: true } }, async ({ message }) => text(message));

server.registerTool('structured', { description: 'Answers with a structure.', inputSchema: {},
  outputSchema: { total: z.number() } }, async () => ({ ...text('3'), structuredContent: { total: 3 } }));

server.registerTool('wipe', { description: 'Deletes everything.', inputSchema: {},
  outputSchema: { deleted: z.number() } }, async () => ({ ...text('0'), structuredContent: { deleted: 0 } }));

server.registerTool('ask_model', { description: 'Asks the model of the client.', inputSchema: {} }, async () => {
  const answer = await server.server.createMessage(
    { messages: [{ role: 'user', content: { type: 'text', text: 'how many?' } }], maxTokens: 5 });
  return text(`the model said ${answer.content.text}`);
});

server.registerTool('ask_user', { description: 'Asks the user of the client.', inputSchema: {} }, async () => {
  const answer = await server.server.elicitInput({ message: 'your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } });
  return text(`${answer.action} ${answer.content?.name ?? ''}`);
});

server.registerTool('steps', { description: 'Tells its progress.', inputSchema: {} }, async (_, { _meta, sendNotification }) => {
  for (let progress = 1; progress <= 3; ++progress) {
    await sendNotification({ method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress, total: 3 } });
    await server.server.ping();  // the client has read what came before it
  }
  await server.sendLoggingMessage({ level: 'info', logger: 'steps', data: 'done é' });
  return text('done');
});

server.registerTool('wait', { description: 'Waits until it is cancelled.', inputSchema: {} },
  async (_, { signal, sendNotification, _meta }) => {
    await sendNotification({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await server.sendLoggingMessage({ level: 'info', data: 'cancelled' });
    return text('never seen');
  });

server.registerTool('environment', { description: 'Names the variables it was started with.', inputSchema: {} },
  async () => text(Object.keys(process.env).sort().join(' ')));

let late;
server.registerTool('grow', { description: 'Adds a tool to the list.', inputSchema: {} }, async () => {
  late ??= server.registerTool('late', { description: 'Came later.', inputSchema: {} }, async () => text('late'));
  return text('grown');
});

server.registerResource('greeting', 'memo://greeting', { mimeType: 'text/plain' },
  async (uri) => ({ contents: [{ uri: uri.href, text: 'hello' }] }));
server.registerResource('note', new ResourceTemplate('memo://notes/{id}', { list: undefined,
  complete: { id: (value) => ['one', 'two'].filter((id) => id.startsWith(value)) } }), {},
async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `note ${id}` }] }));
server.registerPrompt('greet', { argsSchema: { name: completable(z.string(), (value) => ['Ada', 'Alan'].filter((n) => n.startsWith(value))) } },
  ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `greet ${name}` } }] }));

await server.connect(new StdioServerTransport());
