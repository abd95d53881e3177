import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findWasm } from '../../src/engine/backends/wasm.ts';
import * as glue from '../../wasm/artifact/proofgate_wasm.js';

const GLUE = new URL('../../wasm/artifact/proofgate_wasm.js', import.meta.url);

describe('the JavaScript of the WASM artifact', () => {
  const text = readFileSync(GLUE, 'utf8');

  it('exports one function, and names no file and no API of one runtime', () => {
    expect(Object.keys(glue)).toEqual(['instantiate']);
    expect(text.match(/^export /gm)).toHaveLength(1);
    expect(text).not.toMatch(/\bimport\b|\bfetch\b|new URL\(|\brequire\(|globalThis|FinalizationRegistry/);
  });

  it('keeps no state outside of an instance', () => {
    const outside = text.split('\n').filter((line) => /^[^\s/]/.test(line));
    expect(outside).toEqual(['export function instantiate(module) {', '}']);
  });

  it('creates instances with separate memories', () => {
    const found = findWasm();
    if ('reason' in found || found.kind !== 'wasm') throw new Error('no WASM build');
    const [one, other] = [glue.instantiate(found.module), glue.instantiate(found.module)];
    expect(one.memory).not.toBe(other.memory);
    new Uint8Array(one.memory.buffer).fill(0xff);
    expect(other.hashBytes('CLAIMS_HASH_V1', Uint8Array.of(1))).toHaveLength(32);
  });
});

describe('the script that rewrites the JavaScript of wasm-bindgen', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-glue-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['lacks a helper', 'export function poseidon() {}', 'expected the helpers'],
    ['exports something else', 'export const a = 1;', 'unexpected export'],
    ['does not parse', 'export function', 'Parse failed'],
  ])('refuses a module that %s, and changes no file', (_, source, message) => {
    const file = join(folder, 'proofgate_wasm.js');
    writeFileSync(file, source);
    const script = fileURLToPath(new URL('../../.scripts/wasm-glue.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    expect(stderr).toContain(message);
    expect(status).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(source);
  });
});
