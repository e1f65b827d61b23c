// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A PostgreSQL of a test's own, behind a Unix socket, as an unprivileged user where we are
// root: the server refuses to run as root.

import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Program, deadlineMs, until } from './stack.mjs';

const binaries = '/usr/lib/postgresql/15/bin';
const nobody = 65534;
const run = promisify(execFile);
const isRoot = process.geteuid() === 0;
const unprivileged = (command) => (isRoot
  ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command] : command);

export class Postgres {
  static async start() {
    const server = new Postgres();
    server.dir = await mkdtemp(join(tmpdir(), 'pg-'));
    if (isRoot) await chown(server.dir, nobody, nobody);
    // The folder that a test run has to itself: the server's user must get through it.
    if (isRoot && process.env.TEST_TMPDIR) await chmod(process.env.TEST_TMPDIR, 0o711);
    await chmod(server.dir, 0o755);
    const data = join(server.dir, 'data');
    const [program, ...args] = unprivileged([`${binaries}/initdb`, '-D', data, '-U', 'postgres', '-A', 'trust',
      '-E', 'UTF8', '--no-sync']);
    await run(program, args, { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }, timeout: deadlineMs });
    server.program = new Program(unprivileged([`${binaries}/postgres`, '-D', data, '-c', 'listen_addresses=',
      '-c', `unix_socket_directories=${server.dir}`, '-c', 'fsync=off']), { cwd: '/' }).drain();
    await until(() => server.query('SELECT 1').then(() => true, () => false), 'PostgreSQL');
    return server;
  }

  dsn(user) {
    return `host=${this.dir} user=${user} dbname=postgres connect_timeout=10`;
  }

  // Runs SQL as the superuser; returns the rows as text, a line each.
  async query(sql) {
    const { stdout } = await run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', this.dsn('postgres'), '-c', sql],
      { timeout: deadlineMs });
    return stdout.trim();
  }

  async stop() {
    await this.program?.end();
    await rm(this.dir, { recursive: true, force: true });
  }
}
