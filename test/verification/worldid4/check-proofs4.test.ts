// Rules: spec/sign-in.md#proof-checks-of-world-id-40
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { seedWorldId4 } from '../../../src/development/worldid4/seed.ts';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { createKeyRegistry } from '../../../src/membership/keys/key-registry.ts';
import { createRootRegistry } from '../../../src/membership/roots/root-registry.ts';
import { createWorldId4Keys } from '../../../src/membership/worldid4/key-lookup.ts';
import type { Proofs4Claim } from '../../../src/membership/worldid4/proofs4.ts';
import type { Store } from '../../../src/storage/store.ts';
import { worldId4Rules } from '../../../src/verification/run/verification.ts';
import { createProofs4Check, type Proofs4Parts } from '../../../src/verification/worldid4/check-proofs4.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { proveRequest4 } from '../../support/test-wallet4.ts';

const RP_ID = 'rp_0123456789abcdef';
const REQUEST = {
  id: 'a',
  version: 1,
  proof_type: 'session',
  session_id: 'create',
  created_at: Math.floor(Date.now() / 1000),
  expires_at: Math.floor(Date.now() / 1000) + 300,
  rp_id: RP_ID,
  oprf_key_id: '0x123456789abcdef',
  signature: '',
  nonce: `0x${'07'.padStart(64, '0')}`,
  proof_requests: [{ identifier: 'proof_of_human', issuer_schema_id: 1 }],
} as const;

let store: Store;
let engine: Engine;
let parts: Proofs4Parts;

beforeAll(async () => {
  const { config } = await loadConfig({
    env: environmentOf({
      profile: 'test',
      dataDir: temporaryFolder('check-proofs4', afterAll),
      'engine.workers': '0',
      'verify.worldid4.enabled': 'true',
    }),
  });
  store = await openMigratedStore(config.storage);
  await seedWorldId4(store, '1', [{ rpId: RP_ID, verification: 'registered' }], Date.now());
  engine = await createEngine(config.engine);
  const rules = worldId4Rules(config.verify.worldid4, createWorldId4Keys(store.worldId4Keys, 0, Date.now));
  if (rules === undefined) throw new Error('expected rules');
  const keys = createKeyRegistry({ engine, store, profile: 'test', bindings: config.verify.keys });
  parts = {
    rules,
    engine,
    keys,
    roots: createRootRegistry(store.roots, 0, Date.now),
    now: Date.now,
    onFault: (fault) => {
      throw fault;
    },
  };
});

afterAll(async () => {
  await engine.close();
  await store.close();
});

/** A true proof of a new session. */
async function claim(): Promise<Proofs4Claim> {
  const { session_id: sessionId, responses } = await proveRequest4(REQUEST, store);
  const [item] = responses;
  const [nullifier, action] = [item?.session_nullifier?.slice(5, 69), item?.session_nullifier?.slice(69)];
  return {
    environment: 'staging',
    rpId: RP_ID,
    policy: OPEN_POLICY,
    kind: 'session',
    action: '',
    nonce: REQUEST.nonce,
    sessionId,
    proofs: [
      {
        identifier: 'proof_of_human',
        issuerSchemaId: '1',
        nullifier: `0x${nullifier}`,
        sessionAction: `0x${action}`,
        expiresAtMin: REQUEST.created_at,
        signalHash: '0x0',
        words: [0, 1, 2, 3, 4].map((word) => `0x${item?.proof.slice(word * 64, word * 64 + 64)}`),
      },
    ],
    source: { address: '192.0.2.1', app: 'app_1' },
  };
}

describe('the proofs of an answer', () => {
  it('hold, or the first that does not has its code', async () => {
    const check = createProofs4Check(parts);
    const right = await claim();
    expect(await check(right)).toEqual({ kind: 'valid' });
    expect(await check({ ...right, nonce: '0x8' })).toEqual({ kind: 'false', code: 'proof.false' });
    expect(await check({ ...right, rpId: 'rp_0000000000000001' })).toEqual({
      kind: 'false',
      code: 'worldid_item.oprf_key_missing',
    });
    const [proof] = right.proofs;
    if (proof === undefined) throw new Error('no proof');
    expect(await check({ ...right, proofs: [proof, { ...proof, nullifier: '0x5' }] })).toEqual({
      kind: 'false',
      code: 'verify.nullifiers_differ',
    });
  });

  it('are not decided while the engine has no room', async () => {
    const full = { ...parts.engine, canAccept: () => false };
    expect(await createProofs4Check({ ...parts, engine: full })(await claim())).toEqual({ kind: 'busy' });
  });

  it('cannot be checked without the verifying key of the environment', async () => {
    const keys = { ...parts.keys, keyOf: () => undefined };
    const check = createProofs4Check({ ...parts, keys });
    await expect(check(await claim())).rejects.toThrow(ServiceError);
  });
});
