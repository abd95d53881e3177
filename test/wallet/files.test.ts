import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CIRCUIT_FILE_NAMES } from '../../src/development/circuit-files.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { type SharedApp, useSharedApp } from '../support/signin/shared-service.ts';

const WITNESS_CODE = '/wallet/circuit/semaphore-depth30.wasm';
const PROVING_KEY = '/wallet/circuit/semaphore-depth30.zkey';
const SNARKJS = '/wallet/snarkjs.min.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('files that the prover of the wallet loads', () => {
  let app: SharedApp;
  beforeEach(async () => {
    app = await useSharedApp();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
  });
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${app.publicUrl}${path}`, init);

  it.each([WITNESS_CODE, PROVING_KEY])(
    '%s is 404 and names the command while it is not built',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const text = 'The development circuit is not built. Run: proofgate circuits setup';
      expect(await answer.json()).toEqual({
        error: 'invalid_request',
        error_description: text,
        code: 'not_found',
        detail: text,
        attribute: null,
      });
      expect((await get(path, { method: 'HEAD' })).status).toBe(404);
    },
  );

  it('serves the files that the setup made, byte for byte', async () => {
    const { witnessCode, provingKey } = await fakeCircuit(app.dataDir);
    const code = await get(WITNESS_CODE);
    expect(code.status).toBe(200);
    expect(code.headers.get('content-type')).toBe('application/wasm');
    expect(Buffer.from(await code.arrayBuffer())).toEqual(witnessCode);
    const key = await get(PROVING_KEY);
    expect(key.headers.get('content-type')).toBe('application/octet-stream');
    expect(key.headers.get('content-length')).toBe(String(provingKey.length));
    expect(sha256(new Uint8Array(await key.arrayBuffer()))).toBe(sha256(provingKey));
    const head = await get(PROVING_KEY, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(provingKey.length));
    expect(await head.text()).toBe('');
  });

  it('is 404 if a file of the folder is missing', async () => {
    const { folder } = await fakeCircuit(app.dataDir);
    await rm(join(folder, CIRCUIT_FILE_NAMES.provingKey));
    expect((await get(WITNESS_CODE)).status).toBe(404);
  });

  it('makes a browser revalidate a cached file, so that files of a new circuit never mix with old ones', async () => {
    await fakeCircuit(app.dataDir);
    const first = await get(PROVING_KEY);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]+-[0-9a-f]+"$/);
    const same = await get(PROVING_KEY, { headers: { 'If-None-Match': tag } });
    expect(same.status).toBe(304);
    expect(same.headers.get('etag')).toBe(tag);
    expect(await same.text()).toBe('');
    const { provingKey } = await fakeCircuit(app.dataDir, 'second');
    const changed = await get(PROVING_KEY, { headers: { 'If-None-Match': tag } });
    expect(changed.status).toBe(200);
    expect(sha256(new Uint8Array(await changed.arrayBuffer()))).toBe(sha256(provingKey));
  });

  it('serves snarkjs as the file that its package ships', async () => {
    const main = createRequire(import.meta.url).resolve('snarkjs');
    const shipped = readFileSync(join(dirname(main), 'snarkjs.min.js'));
    const answer = await get(SNARKJS);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(shipped));
  });

  it('is 404 and names the package if the development packages are not installed', async () => {
    withoutPackage('snarkjs');
    const answer = await get(SNARKJS);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'not_found',
      detail: 'The package snarkjs is not installed. Run: npm install',
    });
  });
});

/** Makes Node's resolution fail for one package, as if it were not installed. */
function withoutPackage(name: string): void {
  const resolver = Module as unknown as { _resolveFilename: (request: string, ...rest: unknown[]) => string };
  const original = resolver._resolveFilename;
  vi.spyOn(resolver, '_resolveFilename').mockImplementation((request, ...rest) => {
    if (request === name) throw Object.assign(new Error('not installed'), { code: 'MODULE_NOT_FOUND' });
    return original.call(resolver, request, ...rest);
  });
}
