// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the end-to-end tests share: a keeperd of their own on free ports, the CLI,
// and MCP clients whose server is a bridge.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const npmRoot = new URL('../npm/package.json', import.meta.url);
export const require = createRequire(npmRoot);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

export const binDir = process.env.BK_BIN_DIR;
export const here = (name) => fileURLToPath(new URL(name, import.meta.url));
export const npmFile = (name) => fileURLToPath(new URL(`node_modules/${name}`, npmRoot));
export const peerFile = (name) => fileURLToPath(new URL(`peers/node_modules/${name}`, npmRoot));
export const token = 'e2e-admin-token-0123456789abcdef';

// Longest wait for anything that another process does.
export const deadlineMs = 60_000;
// The same for programs of others, which load a great deal of JavaScript as they start.
export const slowMs = 90_000;

export function within(promise, what, ms = deadlineMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`got no ${what} within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Asks again until `probe` answers something true.
export async function until(probe, what, ms = deadlineMs) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const value = await probe();
    if (value) return value;
    await pause(20);
  }
  throw new Error(`got no ${what} within ${ms} ms`);
}

// Waits for the first line of a stream that `read` makes something true of. The rest is
// read and dropped.
export function lineOf(stream, read, what, ms = deadlineMs) {
  return within(new Promise((resolve, reject) => {
    const lines = [];
    createInterface({ input: stream }).on('line', (line) => {
      if (lines.length < 100) lines.push(line);
      const value = read(line);
      if (value) resolve(value);
    }).once('close', () => reject(new Error(`got no ${what}:\n${lines.join('\n')}`)));
  }), what, ms);
}

// A program that is ended, with all that it started, by end().
export class Program {
  constructor(command, { env = { PATH: process.env.PATH }, cwd, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
    // A group of its own: supergateway, ended alone, leaves its server behind.
    this.child = spawn(command[0], command.slice(1), { env, cwd, stdio, detached: true });
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve(code ?? signal));
      this.child.once('error', (error) => resolve(error.message));
    });
  }

  // Both streams are read, so that it never waits for us.
  drain() {
    this.child.stdout?.resume();
    this.child.stderr?.resume();
    return this;
  }

  #signal(signal) {
    try {
      process.kill(-this.child.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }

  async end() {
    if (this.child.pid === undefined) return;
    this.#signal('SIGTERM');
    await Promise.race([this.ended, within(this.ended, 'end', 3000).catch(() => {})]);
    this.#signal('SIGKILL');
    await within(this.ended, `end of ${this.child.spawnfile}`);
  }
}

const eventOf = (message) => (line) => {
  if (!line.startsWith('{')) return undefined;
  const event = JSON.parse(line);
  return event.message === message && event;
};

export class Stack {
  clients = [];
  programs = [];

  static async start() {
    const stack = new Stack();
    stack.dir = await mkdtemp(join(tmpdir(), 'e2e-'));
    await stack.startKeeperd();
    return stack;
  }

  // A stack whose keeperd another process started.
  static async beside(grpcAddress) {
    const stack = new Stack();
    stack.dir = await mkdtemp(join(tmpdir(), 'e2e-'));
    stack.addresses = { grpc_address: grpcAddress };
    return stack;
  }

  async startKeeperd(grpcAddress = '127.0.0.1:0') {
    this.keeperd = spawn(join(binDir, 'keeperd'), ['--dev', '--data-dir', join(this.dir, 'data'),
      '--grpc-address', grpcAddress, '--http-address', '127.0.0.1:0', '--metrics-address', '127.0.0.1:0'],
    { env: { PATH: process.env.PATH, KEEPER_TOKEN: token }, stdio: ['ignore', 'ignore', 'pipe'] });
    const log = [];
    const serving = new Promise((resolve, reject) => {
      createInterface({ input: this.keeperd.stderr }).on('line', (line) => {
        log.push(line);
        if (!line.startsWith('{')) return;
        const event = JSON.parse(line);
        if (event.message === 'serving') resolve(event);
      });
      this.keeperd.once('exit', (code) => reject(new Error(`keeperd ended with ${code}:\n${log.join('\n')}`)));
    });
    this.addresses = await within(serving, 'line that says keeperd is serving');
  }

  async stopKeeperd(signal = 'SIGTERM') {
    if (!this.keeperd || this.keeperd.exitCode !== null || this.keeperd.signalCode !== null) return;
    const ended = once(this.keeperd, 'exit');
    this.keeperd.kill(signal);
    await within(ended, 'end of keeperd');
  }

  environment() {
    return { PATH: process.env.PATH, HOME: this.dir, KEEPER_ADDRESS: this.addresses.grpc_address, KEEPER_TOKEN: token };
  }

  // Starts a program that stop() ends.
  run(command, options) {
    const program = new Program(command, options);
    this.programs.push(program);
    return program;
  }

  // Starts `keeper-bridge serve` on a free port; `config` as its file has it. Returns its
  // base URL.
  async serve(config, { args = [], env = {} } = {}) {
    const file = join(this.dir, `bridge-${this.programs.length}.yaml`);
    await writeFile(file, JSON.stringify({ listen: '127.0.0.1:0', ...config }), { mode: 0o600 });
    const bridge = this.run([join(binDir, 'keeper-bridge'), 'serve', '--config', file, ...args],
      { env: { ...this.environment(), ...env } });
    bridge.child.stdout.resume();
    const { address } = await lineOf(bridge.child.stderr, eventOf('serving'), 'line that says the bridge is serving');
    const url = `http://${address}`;
    await until(async () => (await (await fetch(`${url}/health`)).json()).status === 'ok', 'readiness of the bridge', slowMs);
    return url;
  }

  // Runs the CLI; throws with its output where it does not exit with 0.
  async keeper(...args) {
    const { stdout } = await promisify(execFile)(join(binDir, 'keeper'), args,
      { env: this.environment(), timeout: deadlineMs });
    return stdout;
  }

  // Reviews tools as an operator would: once a bridge has reported them.
  async review(app, server, command, tools, risk) {
    const client = await this.connect(['--app', app, '--server', server], command);
    await client.listTools();
    await until(async () => (await this.keeper('catalog', 'list', '--unreviewed', '--app', app, '--server', server,
      '-o', 'json')).includes(`"${tools[0]}"`), `report of ${tools[0]}`);
    await this.keeper('catalog', 'review', '--app', app, '--server', server, ...tools, '--risk', risk, '--yes');
    await client.close();
  }

  // The same behind a bridge that serves, which `client` is connected to: `risks` says what
  // each tool is that is to be reviewed, or what all of them are.
  async reviewServed(app, server, client, risks) {
    await client.listTools();
    const names = await until(async () => {
      const unreviewed = JSON.parse(await this.keeper('catalog', 'list', '--unreviewed', '--app', app,
        '--server', server, '-o', 'json'));
      return unreviewed.length > 0 && unreviewed.map(({ tool }) => tool);
    }, `report of the tools of ${server}`);
    for (const tool of names) {
      const risk = typeof risks === 'string' ? risks : risks[tool];
      if (!risk) continue;
      await this.keeper('catalog', 'review', '--app', app, '--server', server, tool, '--risk', risk, '--yes');
    }
    await until(async () => (await client.listTools()).tools.length > 0, `list of ${server}`);
  }

  // The same for every tool that the server lists.
  async reviewAll(app, server, command, risk) {
    const client = new Client({ name: 'e2e', version: '1' });
    await within(client.connect(new StdioClientTransport(
      { command: command[0], args: command.slice(1), stderr: 'ignore' })), 'initialize');
    const { tools } = await client.listTools();
    await client.close();
    await this.review(app, server, command, tools.map(({ name }) => name), risk);
  }

  bridgeCommand(bridgeArgs, command) {
    return [join(binDir, 'keeper-bridge'), 'stdio', ...bridgeArgs, '--', ...command];
  }

  // An MCP client of the official SDK whose server is a bridge in front of `command`.
  async connect(bridgeArgs, command, { capabilities = {}, prepare = () => {} } = {}) {
    const client = new Client({ name: 'e2e', version: '1' }, { capabilities });
    prepare(client);
    this.clients.push(client);
    const [program, ...args] = this.bridgeCommand(bridgeArgs, command);
    await within(client.connect(new StdioClientTransport(
      { command: program, args, env: this.environment(), stderr: 'ignore' })), 'initialize');
    return client;
  }

  async stop() {
    for (const client of this.clients) await client.close();
    for (const program of this.programs) await program.end();
    await this.stopKeeperd();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export function denialOf(result) {
  return result._meta?.['bridgekeeper/denial'];
}
