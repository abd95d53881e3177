import * as jose from 'jose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createSealer, generateKey } from '../../../src/oidc/keys/sealed-keys.ts';
import { searchPrimes } from '../../support/crypto/shared-primes.ts';
import { START } from './support/key-folder.ts';

const thumbprint = vi.hoisted(() => vi.fn<typeof jose.calculateJwkThumbprint>());

vi.mock('jose', async (importOriginal) => {
  const original = await importOriginal<typeof jose>();
  thumbprint.mockImplementation(original.calculateJwkThumbprint);
  return { ...original, calculateJwkThumbprint: thumbprint };
});

beforeAll(searchPrimes);

describe('a new key', () => {
  it('never has a kid that begins with a hyphen, which a command would parse as an option', async () => {
    thumbprint.mockResolvedValueOnce(`-${'A'.repeat(42)}`);
    const sealer = createSealer(new Uint8Array(32));
    const { kid, publicJwk } = await generateKey({ sealer, isDevelopment: true, now: () => START });
    expect(thumbprint.mock.calls.length).toBeGreaterThan(1);
    expect(kid).toMatch(/^\w[\w-]{42}$/);
    expect(Buffer.from((JSON.parse(publicJwk) as jose.JWK).n ?? '', 'base64url')).toHaveLength(256);
    expect(await jose.calculateJwkThumbprint(JSON.parse(publicJwk) as jose.JWK)).toBe(kid);
  });
});
