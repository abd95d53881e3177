// Rules: spec/worldid4.md#integrity-bundle
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AttestationKeys,
  createAttestationKeys,
  type KeySet,
  loadKeySet,
} from '../../../src/verification/integrity/attestation-keys.ts';
import { ENCODINGS } from '../../support/encodings.ts';
import { createSigningKey, type KeyServer, keySetAnswer, startKeyServer } from './support/attester.ts';

const { jwk } = createSigningKey('a');

describe('the key set of an issuer', () => {
  let server: KeyServer;
  let folder: string;
  beforeAll(async () => {
    server = await startKeyServer();
    folder = await mkdtemp(join(tmpdir(), 'proofgate-jwks-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const load = async (): Promise<string[]> => {
    const set = await loadKeySet({ issuer: 'issuer.example', jwksUrl: server.url, jwksFile: undefined });
    return [...set.keys()];
  };

  it('has the keys for ES256, and none that cannot be used', async () => {
    server.respond = keySetAnswer(
      jwk,
      { ...jwk, kid: 'b', alg: undefined, use: undefined },
      { ...jwk, kid: 'c', use: 'enc' },
      { ...jwk, kid: 'd', alg: 'ES384' },
      { ...jwk, kid: 'f', key_ops: ['sign'] },
      { ...jwk, kid: 'g', key_ops: 'verify' },
      { ...jwk, kid: 'e', y: jwk.x },
      { ...jwk, kid: undefined },
      { kty: 'RSA', kid: 'f', n: 'AQAB', e: 'AQAB' },
      null,
    );
    expect(await load()).toEqual(['a', 'b']);
  });

  it.each([
    ['an error', (_request, response) => response.writeHead(500).end('{"keys":[]}')],
    ['a redirect', (_request, response) => response.writeHead(302, { Location: server.url }).end()],
    ['no JSON', (_request, response) => response.end('keys')],
    ['no key set', (_request, response) => response.end('{"keys":{}}')],
    ['too many bytes', (_request, response) => response.end(`{"keys":[]}${' '.repeat(65_536)}`)],
    ['an answer that breaks off', (_request, response) => response.destroy()],
  ] satisfies [string, KeyServer['respond']][])('is not read from %s', async (_, respond) => {
    server.respond = respond;
    await expect(load()).rejects.toThrow();
  });

  it('is read from a file in place of the address', async () => {
    const jwksFile = join(folder, 'jwks.json');
    const config = { issuer: 'issuer.example', jwksUrl: server.url, jwksFile };
    await expect(loadKeySet(config)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(jwksFile, JSON.stringify({ keys: [{ ...jwk, kid: 'file' }] }));
    const requests = server.requests;
    expect([...(await loadKeySet(config)).keys()]).toEqual(['file']);
    for (const [name, encode] of ENCODINGS) {
      await writeFile(jwksFile, encode(JSON.stringify({ keys: [{ ...jwk, kid: name }] })));
      expect([...(await loadKeySet(config)).keys()]).toEqual([name]);
    }
    await writeFile(jwksFile, ' '.repeat(65_537));
    await expect(loadKeySet(config)).rejects.toThrow('larger than 65536 bytes');
    expect(server.requests).toBe(requests);
  });
});

const DAY_MS = 24 * 3600 * 1000;
const UNAVAILABLE = { code: 'verify.integrity_failed', details: { rule: 'keys_unavailable' } };

describe('the cached keys of an issuer', () => {
  let now: number;
  let readings: number;
  let isDown: boolean;
  let failures: unknown[];
  let keys: AttestationKeys;

  beforeEach(() => {
    now = 1_800_000_000_000;
    readings = 0;
    isDown = false;
    failures = [];
    const load = async (): Promise<KeySet> => {
      readings++;
      if (isDown) throw new Error('down');
      return new Map();
    };
    keys = createAttestationKeys(
      load,
      () => now,
      (cause) => failures.push(cause),
    );
  });

  it('are read once for many callers, and again after a day', async () => {
    const [first, second] = await Promise.all([keys.current(), keys.current()]);
    expect(second).toBe(first);
    now += DAY_MS - 1;
    expect(await keys.current()).toBe(first);
    expect(readings).toBe(1);
    now += 1;
    expect(await keys.current()).not.toBe(first);
    expect(readings).toBe(2);
  });

  it('are read again for a token that fails, at most once per minute', async () => {
    const first = await keys.current();
    now += 59_999;
    expect(await keys.newerThan(first)).toBeUndefined();
    now += 1;
    const [second, third] = await Promise.all([keys.newerThan(first), keys.newerThan(first)]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(await keys.newerThan(first)).toBe(second);
    expect(await keys.newerThan(second ?? first)).toBeUndefined();
    expect(readings).toBe(2);
  });

  it('are not read again for 10 seconds after they could not be read', async () => {
    isDown = true;
    await expect(keys.current()).rejects.toMatchObject(UNAVAILABLE);
    isDown = false;
    now += 9999;
    await expect(keys.current()).rejects.toMatchObject(UNAVAILABLE);
    expect(readings).toBe(1);
    expect(failures).toEqual([expect.objectContaining({ message: 'down' })]);
    now += 1;
    await keys.current();
    expect(readings).toBe(2);
  });

  it('stay in use while newer ones cannot be read', async () => {
    const first = await keys.current();
    isDown = true;
    now += 60_000;
    await expect(keys.newerThan(first)).rejects.toMatchObject(UNAVAILABLE);
    await expect(keys.newerThan(first)).rejects.toMatchObject(UNAVAILABLE);
    expect(await keys.current()).toBe(first);
    expect(readings).toBe(2);
  });

  it('are not kept longer by a clock that is set back', async () => {
    const first = await keys.current();
    now -= DAY_MS;
    expect(await keys.current()).not.toBe(first);
  });
});
