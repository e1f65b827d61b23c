// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A server with every fixture that the MCP conformance suite 0.1.16 asks for by name.
//
//   node conformance_server.mjs          on standard input and output
//   node conformance_server.mjs http     Streamable HTTP on a free loopback port, which
//                                        it prints as a line `{"url":...}`
//
// Source: what the suite's server scenarios say that they require.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { require } from './stack.mjs';

const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const said = (value) => ({ content: [text(value)] });
const object = (properties = {}, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const string = (description, more = {}) => ({ type: 'string', description, ...more });

const pause = () => sleep(50);

// Asks the client's user, and says what came of it.
async function ask(extra, label, message, requestedSchema) {
  const { action, content } = await extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema } }, types.ElicitResultSchema);
  return said(`${label}: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

const choices = (prefix, titles) => titles.map((title, i) => ({ const: `${prefix}${i + 1}`, title }));
const options = ['option1', 'option2', 'option3'];

// By name: what it does, and its input schema where it has arguments.
const tools = {
  test_simple_text: [() => said('This is a simple text response for testing.')],
  test_image_content: [() => ({ content: [image] })],
  test_audio_content: [() => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] })],
  test_embedded_resource: [() => ({ content: [{ type: 'resource', resource: { uri: 'test://embedded-resource',
    mimeType: 'text/plain', text: 'This is an embedded resource content.' } }] })],
  test_multiple_content_types: [() => ({ content: [text('Multiple content types test:'), image,
    { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json',
      text: JSON.stringify({ test: 'data', value: 123 }) } }] })],
  test_error_handling: [() => ({ ...said('This tool intentionally returns an error for testing'), isError: true })],
  test_tool_with_logging: [async (_, extra) => {
    for (const [i, data] of ['Tool execution started', 'Tool processing data', 'Tool execution completed'].entries()) {
      if (i > 0) await pause();
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    }
    return said('logged');
  }],
  test_tool_with_progress: [async (_, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause();
      if (progressToken === undefined) continue;
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return said('done');
  }],
  test_reconnection: [async (_, extra) => {
    extra.closeSSEStream?.();
    await sleep(100);
    return said('The client came back for this.');
  }],
  test_sampling: [async ({ prompt }, extra) => {
    const answer = await extra.sendRequest({ method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 } }, types.CreateMessageResultSchema);
    return said(`LLM response: ${answer.content.text}`);
  }, object({ prompt: string('What the model is asked') })],
  test_elicitation: [({ message }, extra) => ask(extra, 'User response', message, object({
    username: string('Name of the user'), email: string('Address of the user') })),
  object({ message: string('What the user is shown') })],
  test_elicitation_sep1034_defaults: [(_, extra) => ask(extra, 'Elicitation completed', 'Please look at the defaults', object({
    name: string('Name', { default: 'John Doe' }), age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 }, verified: { type: 'boolean', default: true },
    status: string('Status', { enum: ['active', 'inactive', 'pending'], default: 'active' }) }, []))],
  test_elicitation_sep1330_enums: [(_, extra) => ask(extra, 'Elicitation completed', 'Please choose', object({
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: choices('value', ['First Option', 'Second Option', 'Third Option']) },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: choices('value', ['First Choice', 'Second Choice', 'Third Choice']) } },
  }, []))],
  json_schema_2020_12_tool: [() => said('ok'), { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } }, additionalProperties: false }],
};

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
};

const user = (content) => ({ role: 'user', content });
const argument = (name, description) => ({ name, description, required: true });
const prompts = {
  test_simple_prompt: [[], () => [user(text('This is a simple prompt for testing.'))]],
  test_prompt_with_arguments: [[argument('arg1', 'First test argument'), argument('arg2', 'Second test argument')],
    ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))]],
  test_prompt_with_embedded_resource: [[argument('resourceUri', 'What is embedded')], ({ resourceUri }) => [
    user({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } }),
    user(text('Please process the embedded resource above.'))]],
  test_prompt_with_image: [[], () => [user(image), user(text('Please analyze the image above.'))]],
};

function makeServer() {
  const server = new Server({ name: 'conformance', version: '1' }, { capabilities: { tools: {}, prompts: {},
    resources: { subscribe: true }, logging: {}, completions: {} } });
  const find = (table, name) => {
    if (!Object.hasOwn(table, name)) throw new types.McpError(types.ErrorCode.InvalidParams, `there is no ${name}`);
    return table[name];
  };
  const on = (schema, answer) => server.setRequestHandler(schema, ({ params }, extra) => answer(params ?? {}, extra));
  on(types.ListToolsRequestSchema, () => ({ tools: Object.entries(tools).map(([name, [, inputSchema = object()]]) =>
    ({ name, description: `The suite's ${name}.`, inputSchema })) }));
  on(types.CallToolRequestSchema, ({ name, arguments: given = {} }, extra) => find(tools, name)[0](given, extra));
  on(types.ListResourcesRequestSchema, () => ({ resources: Object.entries(resources).map(([uri, { mimeType }]) =>
    ({ uri, name: uri, description: `The suite's ${uri}.`, mimeType })) }));
  on(types.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [
    { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'One for each id.', mimeType: 'application/json' }] }));
  on(types.ReadResourceRequestSchema, ({ uri }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    return { contents: [id === undefined ? { uri, ...find(resources, uri) } : { uri, mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }] };
  });
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.SetLevelRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({ prompts: Object.entries(prompts).map(([name, [given]]) =>
    ({ name, description: `The suite's ${name}.`, arguments: given })) }));
  on(types.GetPromptRequestSchema, ({ name, arguments: given = {} }) => ({ messages: find(prompts, name)[1](given) }));
  on(types.CompleteRequestSchema, ({ argument: { value } }) => {
    const values = ['paris', 'park', 'party'].filter((word) => word.startsWith(value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

// What was sent on a stream, so that a client that comes back gets the rest.
class Events {
  #sent = [];

  async storeEvent(stream, message) {
    return `${stream}/${this.#sent.push({ stream, message })}`;
  }

  async replayEventsAfter(last, { send }) {
    const [stream, number] = last.split('/');
    for (const [i, event] of this.#sent.entries()) {
      if (event.stream !== stream || i < Number(number) || Object.keys(event.message).length === 0) continue;
      await send(`${stream}/${i + 1}`, event.message);
    }
    return stream;
  }
}

async function serveHttp() {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response);
    const hosts = [`127.0.0.1:${http.address().port}`, `localhost:${http.address().port}`];
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, eventStore: new Events(),
      retryInterval: 500, enableDnsRebindingProtection: true, allowedHosts: hosts,
      allowedOrigins: hosts.map((host) => `http://${host}`),
      onsessioninitialized: (id) => sessions.set(id, transport) });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

if (process.argv[2] === 'http') {
  await serveHttp();
} else {
  await makeServer().connect(new StdioServerTransport());
}
