// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The MCP conformance suite against a server, and against keeper-bridge in front of the
// same server: whatever holds for the server holds through the bridge. And the suite against
// keeper-bridge as the client of a server.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Stack, binDir, here, lineOf, peerFile, require } from './stack.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const suiteMs = 180_000;
const server = [process.execPath, here('conformance_server.mjs')];
let stack;
let direct;

before(async () => {
  stack = await Stack.start();
  const http = stack.run([...server, 'http']);
  http.child.stderr.resume();
  ({ url: direct } = await lineOf(http.child.stdout, (line) => JSON.parse(line), 'URL of the server'));
  await stack.keeper('policy', 'set', 'conf', '--mode', 'READ_ONLY');
  // What the suite's own servers list, nobody has reviewed.
  const policy = join(stack.dir, 'policy.yaml');
  await writeFile(policy, 'app: conf-client\nmode: FULL_ACCESS\nunreviewed_tools: AS_DESTRUCTIVE\n');
  await stack.keeper('policy', 'put', '-f', policy);
});
after(() => stack?.stop());

// Runs the suite; returns its output. It exits with 1 where any check fails.
function suite(...args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--import', here('node20_shim.mjs'),
      peerFile('@modelcontextprotocol/conformance/dist/index.js'), ...args],
    { timeout: suiteMs, env: { ...stack.environment(), BK_BIN_DIR: binDir }, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error && error.code !== 1) return reject(new Error(`the suite ended with ${error.code ?? error.signal}: ${stderr}`));
      return resolve(stdout + stderr);
    });
  });
}

// Runs the suite. By scenario: how often each check ended how.
async function checks(name, ...args) {
  const folder = join(stack.dir, `checks-${name}`);
  const output = await suite(...args, '-o', folder);
  const scenarios = new Map();
  for (const entry of await readdir(folder, { recursive: true })) {
    if (!entry.endsWith('checks.json')) continue;
    const scenario = /(?:server-)?(.+)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1] ?? entry;
    const ends = new Map();
    for (const check of JSON.parse(await readFile(join(folder, entry), 'utf8'))) {
      const end = `${check.id} ${check.status}`;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    scenarios.set(scenario, ends);
  }
  return { scenarios, output };
}

const count = (scenarios, status) => [...scenarios.values()].flatMap((ends) => [...ends])
  .reduce((sum, [end, n]) => sum + (end.endsWith(` ${status}`) ? n : 0), 0);

// Every check that passes in `want` passes as often in `got`, and nothing more fails or gets
// a warning. INFO is what the suite says of what is optional: a client takes a quick answer
// as one JSON object as well as it takes a stream of one event.
function compare(want, got) {
  assert.deepEqual([...got.scenarios.keys()].sort(), [...want.scenarios.keys()].sort());
  for (const [scenario, ends] of want.scenarios) {
    const ours = got.scenarios.get(scenario);
    for (const [end, n] of ends) {
      const [id, status] = end.split(' ');
      if (status !== 'SUCCESS') continue;
      const passed = (ours.get(end) ?? 0) + (ours.get(`${id} INFO`) ?? 0);
      assert.ok(passed >= n, `${scenario}: ${end} in\n${got.output}`);
    }
    for (const [end, n] of ours) {
      if (/ (FAILURE|WARNING)$/.test(end)) assert.ok(n <= (ends.get(end) ?? 0), `${scenario}: ${end} in\n${got.output}`);
    }
  }
}

const everyScenario = (url) => ['server', '--url', url, '--suite', 'all'];

let baseline;
test('the server itself passes every scenario of the suite', async () => {
  baseline = await checks('direct', ...everyScenario(direct));
  const listed = (await suite('list')).match(/^\s+- (\S+)/gm)?.length ?? 0;
  assert.ok(listed >= 32, `the suite lists ${listed} scenarios`);
  assert.ok(baseline.scenarios.size >= 32, `ran ${baseline.scenarios.size}`);
  assert.ok(count(baseline.scenarios, 'SUCCESS') >= 40, baseline.output);
  assert.equal(count(baseline.scenarios, 'FAILURE'), 0, baseline.output);
});

const upstreams = {
  stdio: () => ({ command: server }),
  HTTP: () => ({ url: direct }),
};
for (const [how, upstream] of Object.entries(upstreams)) {
  test(`so it does through the bridge, in front of the server over ${how}`, async () => {
    const name = `over-${how}`;
    const bridge = await stack.serve({ app: 'conf', servers: { [name]: upstream() } });
    const url = `${bridge}/servers/${name}/mcp`;
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await stack.reviewServed('conf', name, client, 'SAFE');
    await client.close();
    const bridged = await checks(name, ...everyScenario(url));
    compare(baseline, bridged);
    const rebinding = [...bridged.scenarios].find(([scenario]) => scenario.includes('dns-rebinding'));
    assert.ok(rebinding && [...rebinding[1].keys()].every((end) => end.endsWith(' SUCCESS')), bridged.output);
  });
}

for (const scenario of ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']) {
  test(`the bridge as a client passes ${scenario}`, async () => {
    const { scenarios, output } = await checks(scenario, 'client', '--command',
      `${process.execPath} ${here('conformance_client.mjs')}`, '--scenario', scenario, '--timeout', '120000');
    assert.ok(count(scenarios, 'SUCCESS') > 0, output);
    assert.equal(count(scenarios, 'FAILURE') + count(scenarios, 'WARNING'), 0, output);
  });
}
