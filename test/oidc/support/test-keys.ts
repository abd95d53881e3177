import { createPrivateKey } from 'node:crypto';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import type { Clients } from '../../../src/apps/clients.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { createKeySet } from '../../../src/oidc/keys/key-set.ts';
import { createSealer, generateKey } from '../../../src/oidc/keys/sealed-keys.ts';
import type { SigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { environmentOf } from '../../support/server/environment-of.ts';

/** Time of the tests: 12:00:00.789 on 1 June 2026, UTC. */
export const NOW: number = Date.UTC(2026, 5, 1, 12) + 789;

/** The sub of the known-answer proof (spec/sign-in.md#known-answer-proof). */
export const ORB_SUB = '0x2978b7ab28667fc641e0a38af57b6d177592d268a6d97aec19205a97bf456f23';

/** Text form of a random UUID. */
export const UUID_V4: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Loads the default configuration with these settings changed. */
export async function testConfig(settings: Readonly<Record<string, string>> = {}): Promise<Config> {
  const { config } = await loadConfig({ env: environmentOf({ profile: 'test', ...settings }), cwd: '/' });
  return config;
}

/** A registry without clients, whose subs keep the addresses of the contract. */
export const NO_CLIENTS: Pick<Clients, 'find'> = { find: async () => undefined };

/** One published key that signs any claims. */
export interface TestKeys {
  readonly kid: string;
  readonly keys: Pick<SigningKeys, 'sign' | 'verificationKey'>;
  readonly publicJwk: Record<string, string>;
  /** PKCS #8. */
  readonly privateKeyPem: string;
}

let made: Promise<TestKeys> | undefined;

/** Returns the key that all tests of a file share. */
export function createTestKeys(): Promise<TestKeys> {
  made ??= make();
  return made;
}

async function make(): Promise<TestKeys> {
  const sealer = createSealer(new Uint8Array(32));
  const row = await generateKey({ sealer, isDevelopment: true, now: () => NOW });
  const { jwk } = await sealer.open(row);
  const privateKey = await importJWK({ ...jwk, kty: 'RSA' }, 'RS256');
  const keySet = createKeySet({
    store: { list: async () => [row] },
    use: 'signin',
    cacheMs: 5000,
    now: () => NOW,
  });
  return {
    kid: row.kid,
    publicJwk: JSON.parse(row.publicJwk) as Record<string, string>,
    privateKeyPem: createPrivateKey({ key: { ...jwk }, format: 'jwk' })
      .export({ type: 'pkcs8', format: 'pem' })
      .toString(),
    keys: {
      verificationKey: (kid) => keySet.verificationKey(kid),
      sign: (typ: string, claims: JWTPayload) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ, kid: row.kid }).sign(privateKey),
    },
  };
}
