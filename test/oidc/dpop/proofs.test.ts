// Rules: spec/sign-in.md#dpop and spec/sign-in.md#nonces-of-proofs
import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { KeyConfig } from '../../../src/apps/secrets/master-key.ts';
import { createDpopNonces } from '../../../src/oidc/dpop/check-proof.ts';
import { type ProofRequest, readProof } from '../../../src/oidc/dpop/read-proof.ts';

// RFC 9449 section 4.1, figure 1
const HEADER =
  'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19';
const TOKEN_PROOF = `${HEADER}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg`;
// RFC 9449 section 7.1, figures 12 and 13
const RESOURCE_PROOF = `${HEADER}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA`;
const ACCESS_TOKEN = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
const CREATED_AT = 1_562_262_616_000;

describe('readProof', () => {
  it.each<[string, ProofRequest, string]>([
    [
      'for a token',
      { method: 'POST', address: 'https://server.example.com/token', proof: TOKEN_PROOF },
      '-BwC3ESc6acc2lTc',
    ],
    [
      'for a resource',
      {
        method: 'GET',
        address: 'https://resource.example.org/protectedresource',
        proof: RESOURCE_PROOF,
        accessToken: ACCESS_TOKEN,
      },
      'e1j3V_bKic8-LAEB',
    ],
  ])('reads the published proof %s, whose signature verifies with the key', async (_name, request, jti) => {
    const { publicKey, ...rest } = readProof(request, CREATED_AT);
    expect(rest).toEqual({ alg: 'ES256', jti, nonce: undefined });
    // RFC 9449 section 6.1, figure 7
    expect(await calculateJwkThumbprint(publicKey)).toBe('0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I');
    expect(await jwtVerify(request.proof, await importJWK(publicKey, 'ES256'))).toBeDefined();
  });

  it('compares the hash of the access token', () => {
    const request = {
      method: 'GET',
      address: 'https://resource.example.org/protectedresource',
      proof: RESOURCE_PROOF,
      accessToken: `${ACCESS_TOKEN}A`,
    };
    expect(() => readProof(request, CREATED_AT)).toThrow('ath is not the hash of the access token.');
  });
});

const WINDOW_MS = 300_000;
const [FIRST, SECOND] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

function configOf(masterKey: string | undefined, masterKeyPrevious?: string): KeyConfig {
  const keys = { masterKey, masterKeyPrevious };
  return { profile: 'production', dataDir: '/nowhere', keys, apps: {} } as KeyConfig;
}

describe('the nonces of proofs', () => {
  it('are equal on all nodes with the same master key, and say when they end', () => {
    const [one, other] = [1, 2].map(() => createDpopNonces(configOf(FIRST), () => 10 * WINDOW_MS));
    const nonce = one?.current() ?? '';
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(other?.endOf(nonce)).toBe(12 * WINDOW_MS);
  });

  it('are valid in their window and the next', () => {
    const at = (now: number) => createDpopNonces(configOf(FIRST), () => now);
    const nonce = at(10 * WINDOW_MS).current();
    expect(at(11 * WINDOW_MS - 1).current()).toBe(nonce);
    expect(at(11 * WINDOW_MS).current()).not.toBe(nonce);
    for (const [now, end] of [
      [10 * WINDOW_MS - 1, undefined],
      [10 * WINDOW_MS, 12 * WINDOW_MS],
      [12 * WINDOW_MS - 1, 12 * WINDOW_MS],
      [12 * WINDOW_MS, undefined],
    ] as const) {
      expect([now, at(now).endOf(nonce)]).toEqual([now, end]);
    }
  });

  it('are refused under another master key, and accepted under the former one', () => {
    const under = (...keys: [string | undefined, string?]) => createDpopNonces(configOf(...keys), () => 0);
    const nonce = under(FIRST).current();
    expect(under(SECOND).endOf(nonce)).toBeUndefined();
    expect(under(SECOND, FIRST).endOf(nonce)).toBe(2 * WINDOW_MS);
    expect(under(SECOND, FIRST).current()).toBe(under(SECOND).current());
  });
});
