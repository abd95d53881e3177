// Rules: spec/worldid4.md#integrity-bundle
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeySet } from '../../../src/verification/integrity/load-key-set.ts';
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
    await writeFile(jwksFile, ' '.repeat(65_537));
    await expect(loadKeySet(config)).rejects.toThrow('larger than 65536 bytes');
    expect(server.requests).toBe(requests);
  });
});
