// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A real agent, OpenCode, whose model is a script: it calls a tool with a statement that the
// policy allows and then with one that it denies. What comes back to the model is what counts.
//
// Run in a network of its own (CMakeLists.txt), where the agent finds nobody else.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Stack, denialOf, here, peerFile, within } from './stack.mjs';

// About 10 s where nothing else runs.
const agentMs = 240_000;
const agent = peerFile('opencode-linux-x64/bin/opencode');
const skip = process.arch === 'x64' ? false : 'OpenCode is installed for x86_64 only';
const server = [process.execPath, here('tool_server.mjs')];
const tool = /sqlkit__execute_query$/;
const steps = ['SELECT 1', 'DROP TABLE users'].map((sql) => ({ connection_id: 'sqlkit', sql }));
const bridgeArgs = ['--app', 'agent', '--server', 'studio', '--catalog', 'data-studio'];
let stack;
let model;
let denial;  // what a client of the SDK reads of the second step

// Answers POST /v1/chat/completions as OpenAI's API does: a call of `tool` for each step, then a
// text. Keeps the tools that it was offered and the results that it was sent.
async function startModel() {
  const seen = { offered: [], results: [] };
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { messages, tools = [] } = JSON.parse(body);
    const offered = tools.map((one) => one.function.name);
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const name = offered.find((one) => tool.test(one));
    let delta = { role: 'assistant', content: 'done' };
    if (name) {
      Object.assign(seen, { offered, results });
      const step = steps[results.length];
      if (step) {
        delta = { role: 'assistant', tool_calls: [{ index: 0, id: `call-${results.length}`, type: 'function',
          function: { name, arguments: JSON.stringify(step) } }] };
      }
    }
    const chunk = (change, reason = null) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk',
      created: 1, model: 'script', choices: [{ index: 0, delta: change, finish_reason: reason }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk(delta)}${chunk({}, delta.tool_calls ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { seen, http, url: `http://127.0.0.1:${http.address().port}/v1` };
}

before(async () => {
  stack = await Stack.start();
  await stack.keeper('policy', 'set', 'agent', '--mode', 'READ_ONLY');
  const connections = join(stack.dir, 'connections.json');
  await writeFile(connections, JSON.stringify([{ app: 'agent', id: 'sqlkit', type: 'postgres' }]));
  await stack.keeper('connections', 'put', '-f', connections);
  const client = await stack.connect(bridgeArgs, server);
  const denied = await client.callTool({ name: 'sqlkit__execute_query', arguments: steps[1] });
  assert.equal(denialOf(denied).reason_code, 'STATEMENT_EXCEEDS_TOOL');
  denial = denied.content[0].text;
  model = await startModel();
});
after(async () => {
  model?.http.close();
  await stack?.stop();
});

async function runAgent(name, mcp) {
  const home = join(stack.dir, name);
  await mkdir(home);
  await writeFile(join(home, 'opencode.json'), JSON.stringify({ model: 'fake/script', small_model: 'fake/script',
    autoupdate: false, share: 'disabled', snapshot: false,
    provider: { fake: { npm: '@ai-sdk/openai-compatible', options: { baseURL: model.url, apiKey: 'none' },
      models: { script: { tool_call: true, limit: { context: 100000, output: 4096 } } } } },
    mcp: { studio: { enabled: true, ...mcp } }, permission: { 'studio_*': 'allow' } }));
  const run = stack.run([agent, 'run', 'go'], { cwd: home,
    env: { PATH: process.env.PATH, HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' } });
  let output = '';
  for (const stream of [run.child.stdout, run.child.stderr]) stream.on('data', (data) => { output += data; });
  assert.equal(await within(run.ended, 'end of the agent', agentMs).catch((error) => error.message), 0, output);
  return output;
}

const ways = {
  'the stdio bridge': ['stdio', async () => ({ type: 'local', environment: stack.environment(),
    command: stack.bridgeCommand(bridgeArgs, server) })],
  'keeper-bridge serve': ['serve', async () => ({ type: 'remote', oauth: false, url: `${await stack.serve(
    { app: 'agent', servers: { studio: { command: server, catalog: 'data-studio' } } })}/servers/studio/mcp` })],
};

for (const [way, [name, mcp]] of Object.entries(ways)) {
  test(`an agent calls through ${way}, and its model reads why a statement was denied`, { skip }, async () => {
    Object.assign(model.seen, { offered: [], results: [] });
    const output = await runAgent(name, await mcp());
    const { offered, results } = model.seen;
    assert.equal(results.length, steps.length, output);
    assert.equal(results[0], 'ran sqlkit__execute_query', output);
    assert.equal(results[1], denial, output);
    assert.ok(!offered.some((one) => one.endsWith('drop_table')), 'what the policy hides is not offered');
  });
}
