// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The conformance suite imports `globSync` of `fs`, which Node has from 22 on, for a
// command that no test here uses. With this, loaded by `--import`, it starts on Node 20.

import fs from 'node:fs';
import { register } from 'node:module';

const source = `export * from 'node:fs'; export { default } from 'node:fs';
export function globSync() { throw new Error('this Node has no globSync'); }`;
const hooks = `export async function resolve(name, context, next) {
  const wants = name === 'fs' && (context.parentURL ?? '').includes('/conformance/dist/');
  return wants ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(source)}`)}, shortCircuit: true }
    : next(name, context);
}`;
if (!fs.globSync) register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url);
