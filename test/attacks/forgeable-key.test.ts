/**
 * A verifying key whose points are known multiples of each other lets anyone forge proofs; a zkey without a
 * contribution has this form (δ = γ). Every way to add a key refuses each such key.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildApp } from '../../src/app/app.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { fingerprint, keyFrom } from '../../src/membership/keys/built-in-keys.ts';
import { importKey } from '../../src/membership/keys/import-key.ts';
import { keyFromZkey } from '../../src/membership/keys/key-from-zkey.ts';
import { createKeyRegistry } from '../../src/membership/keys/key-registry.ts';
import type { Store } from '../../src/storage/store.ts';
import { makeCliFolder, productionEnv, runIn } from '../cli/support/cli.ts';
import { describeEngineInThread, settings } from '../engine/support/describe-engine.ts';
import { be32 } from '../support/crypto/bn254.ts';
import {
  degenerateKeys,
  type FaultyKey,
  forgeableKeys,
  forgeProof,
  keyOf,
  keySecrets,
  proofOfMultiple,
  type Relation,
  trivialProof,
} from '../support/crypto/forgeable-keys.ts';
import { builtInJson, makeZkey, type SnarkjsKey } from '../support/crypto/make-zkey.ts';
import { useOneThreadCurves } from '../support/crypto/one-thread-curves.ts';
import { referenceVerdict, snarkjsKey } from '../support/crypto/reference-verdict.ts';
import { trapdoor } from '../support/crypto/trapdoor.ts';
import { opened } from '../support/opened.ts';
import { expectRejected } from '../support/rejects.ts';
import { openMigratedStore } from '../support/server/migrated-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTempStore } from '../verification/support/temp-store.ts';

const STATEMENT = [1n, 2n, 3n, 4n];
const statement = (inputs: readonly bigint[]): Uint8Array => Buffer.concat(inputs.map(be32));
const forgeable = await forgeableKeys();
const degenerate = await degenerateKeys();
const bad: readonly (FaultyKey & { readonly code: string })[] = [
  ...forgeable.map((row) => ({ ...row, code: 'key.forgeable' })),
  ...degenerate.map((row) => ({ ...row, code: 'key.degenerate_inputs' })),
];
useOneThreadCurves('bn128');

const jsonOf = (key: Uint8Array): SnarkjsKey => snarkjsKey(key) as unknown as SnarkjsKey;

/** Makes a key that the engine accepts, because the factor is larger than the ones it searches for. */
async function keyWithLargeFactor(relation: Relation, k: bigint): Promise<Uint8Array> {
  return await keyOf(
    keySecrets(({ beta, gamma }) => {
      if (relation === 'delta = k gamma') return { delta: k * gamma };
      return relation === 'gamma = k beta' ? { gamma: k * beta } : { delta: k * beta };
    }),
  );
}

describe('the attack', () => {
  it.each([
    ['δ = γ', 'delta = k gamma', 1n],
    ['δ = −2^16·γ', 'delta = k gamma', -65536n],
    ['δ = β', 'delta = k beta', 1n],
    ['δ = −β', 'delta = k beta', -1n],
    ['γ = β', 'gamma = k beta', 1n],
    ['γ = −255·β', 'gamma = k beta', -255n],
  ] as const)(
    'forges a proof of any statement from the points of a key with %s',
    async (name, relation, k) => {
      const { key } = forgeable.find((row) => row.name === name) as FaultyKey;
      const forged = forgeProof(key, STATEMENT, relation, k);
      expect(await referenceVerdict(snarkjsKey(key), forged, statement(STATEMENT))).toBe(1);
      expect(await referenceVerdict(snarkjsKey(key), forged, statement([1n, 2n, 3n, 5n]))).toBe(2);
    },
  );

  it.each([
    ['IC₀ at infinity', [0n, 0n, 0n, 0n]],
    ['an input equal to IC₀', [0n, 0n, -1n, 0n]],
    ['an input opposite to IC₀', [1n, 0n, 0n, 0n]],
    ['a sum of four points', [-3n, 5n, 0n, 16n]],
  ] as const)('proves one statement from the points of a key with %s', async (name, inputs) => {
    const { key } = degenerate.find((row) => row.name === name) as FaultyKey;
    const words = statement(inputs.map((x) => (x < 0n ? keyOrder + x : x)));
    expect(await referenceVerdict(snarkjsKey(key), trivialProof(key), words)).toBe(1);
  });

  it.each([
    ['IC₀ = −α', -1n],
    ['IC₀ = 2^16·α', 65_536n],
  ] as const)('proves the statement of zeros from the points of a key with %s', async (name, k) => {
    const { key } = degenerate.find((row) => row.name === name) as FaultyKey;
    const words = statement([0n, 0n, 0n, 0n]);
    expect(await referenceVerdict(snarkjsKey(key), await proofOfMultiple(key, k), words)).toBe(1);
  });

  it.each([
    ['an input that is a multiple of another', [1n, 3501n, 3n, 5n]],
    ['an input that is the sum of two others', [6n, 7n, -5n, 0n]],
  ] as const)('changes the inputs of a finished proof under a key with %s', async (name, changed) => {
    const { key } = degenerate.find((row) => row.name === name) as FaultyKey;
    // trapdoor-4 has the same L where the input of the changed point is 0
    const { prove } = await trapdoor(4);
    const proved = name === 'an input that is a multiple of another' ? [1n, 1n, 3n, 0n] : [1n, 2n, 0n, 0n];
    const proof = prove(proved, 5n, 6n);
    for (const inputs of [proved, changed]) {
      const words = statement(inputs.map((x) => (x < 0n ? keyOrder + x : x)));
      expect(await referenceVerdict(snarkjsKey(key), proof, words)).toBe(1);
    }
  });
});

const keyOrder = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

describeEngineInThread('a key with related points in the engine', (engine) => {
  it.each(['delta = k gamma', 'gamma = k beta', 'delta = k beta'] as const)(
    'would verify a forged proof if the engine did not refuse such keys: %s',
    async (relation) => {
      const k = 2n ** 20n;
      const key = await keyWithLargeFactor(relation, k);
      await engine().registerKey(relation, key);
      const forged = forgeProof(key, STATEMENT, relation, k);
      expect(await engine().verify(relation, forged, statement(STATEMENT))).toEqual({ ok: true });
      expect(await engine().verify(relation, forged, statement([1n, 2n, 3n, 5n]))).toEqual({ ok: false });
    },
  );

  it.each(bad)('is refused: $name', async ({ key, code, says }) => {
    await expectRejected(engine().registerKey('bad', key), code, says);
    expect(engine().inputCount('bad')).toBeUndefined();
  });

  it.each(degenerate)('is accepted if the caller accepts the warning: $name', async ({ name, key, says }) => {
    const warnings: string[] = [];
    await engine().registerKey(name, key, { onDegenerateInputs: (faults) => warnings.push(...faults) });
    expect(warnings).toEqual([expect.stringContaining(says)]);
    // one caller's acceptance does not hold for the next
    await expect(engine().registerKey(name, key)).rejects.toMatchObject({ code: 'key.degenerate_inputs' });
  });

  it('is not confused with an honest key', async () => {
    const honest = [
      'semaphore-depth16',
      'semaphore-depth20',
      'semaphore-depth30',
      'dev-depth30',
      'worldid4',
      'trapdoor-15',
      'trapdoor-4',
    ];
    for (const name of honest) {
      await engine().registerKey(`honest ${name}`, keyFrom(JSON.stringify(builtInJson(name))).key);
    }
    for (const inputs of [0, 1, 4, 200]) {
      await engine().registerKey(`trapdoor of ${inputs}`, (await trapdoor(inputs)).key);
    }
    // γ is the generator in every key that snarkjs makes
    await engine().registerKey('γ = G2', await keyOf(keySecrets(() => ({ gamma: 1n }))));
  });
});

describe('a key with related points', () => {
  let engine: Engine;
  let temp: Awaited<ReturnType<typeof openTempStore>>;
  beforeAll(async () => {
    temp = await openTempStore();
    engine = await createEngine(settings({ workers: 0 }));
  });
  afterAll(async () => {
    await engine.close();
    await temp.close();
  });
  const put = async (store: Store, { key }: FaultyKey, keyId: string): Promise<void> =>
    await store.verifyingKeys.put({
      keyId,
      origin: 'imported',
      depth: 30,
      source: '',
      key,
      createdAt: 1,
      fingerprint: Uint8Array.from(Buffer.from(fingerprint(key), 'hex')),
    });

  describe.each(['JSON', 'zkey'] as const)('imported as %s', (form) => {
    it.each(bad)('is not stored in production: $name', async ({ key, code, says }) => {
      const json = jsonOf(key);
      const given = form === 'JSON' ? keyFrom(JSON.stringify(json)) : await keyFromZkey(makeZkey(json));
      const attempt = importKey(
        { keyId: 'given', key: given },
        { engine, store: temp.store },
        'production',
        1,
      );
      await expect(attempt).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
      expect(await temp.store.verifyingKeys.find('given')).toBeUndefined();
    });
  });

  it.each(bad)('is refused if stored and bound by the configuration: $name', async (row) => {
    const keyId = `stored-${bad.indexOf(row as (typeof bad)[number])}`;
    await put(temp.store, row, keyId);
    const registryOf = (profile: 'production' | 'development', warnings: string[]) =>
      createKeyRegistry({
        engine,
        store: temp.store,
        profile,
        bindings: { 'verify.key.production': keyId },
        onWarning: (text) => warnings.push(text),
      });
    const [refused] = await registryOf('production', []).prepare();
    expect(refused).toMatchObject({ code: row.code, message: expect.stringContaining(row.says) });
    const warnings: string[] = [];
    const errors = await registryOf('development', warnings).prepare();
    if (row.code === 'key.forgeable') {
      expect(errors).toMatchObject([{ code: row.code }]);
      expect(warnings).toEqual([]);
    } else {
      expect(errors).toEqual([]);
      expect(warnings).toEqual([expect.stringMatching(`key ${keyId}: .*production refuses such a key`)]);
      expect(warnings[0]).toContain(row.says);
    }
  });
});

describe('proofgate vkey import', () => {
  const folder = opened(makeCliFolder, 'remove');
  const ids = async (env: Record<string, string> = {}): Promise<string[]> => {
    const { keys } = (await folder.json(['vkey', 'list'], { env })) as { keys: { id: string }[] };
    return keys.map(({ id }) => id);
  };
  const importZkey = async (key: Uint8Array, id: string, env: Record<string, string> = {}) =>
    await folder.run(['vkey', 'import', '-', '--id', id], {
      env,
      stdin: Readable.from([makeZkey(jsonOf(key))]),
    });
  const [unfinished] = forgeable as [FaultyKey];

  it('refuses the zkey of an unfinished setup in every profile, with the reason and the remedy', async () => {
    const result = await importZkey(unfinished.key, 'unfinished');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('proofgate: key.forgeable: delta equals gamma');
    expect(result.stderr).toContain('anyone can forge proofs of any statement');
    expect(result.stderr).toContain('snarkjs zkey contribute');
    expect(await ids()).not.toContain('unfinished');
  });

  it('warns of an input that no proof depends on, and refuses the key in production', async () => {
    const [key] = degenerate.map((row) => row.key) as [Uint8Array];
    const warned = await importZkey(key, 'unused-input');
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain('warning: key unused-input: ic[2] is the point at infinity');
    const env = productionEnv(folder.path);
    await folder.run(['migrate', 'up'], { env });
    const refused = await importZkey(key, 'unused-again', env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('proofgate: key.degenerate_inputs: ic[2] is the point at infinity');
    expect(await ids(env)).not.toContain('unused-again');
  });
});

describe('serve in profile production', () => {
  it('does not start with a forgeable key that an earlier version accepted', async () => {
    const dataDir = temporaryFolder('forgeable', onTestFinished);
    const url = `libsql:${join(dataDir, 'proofgate.db')}`;
    const store = await openMigratedStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
    const rows = [forgeable[0] as FaultyKey, degenerate[0] as FaultyKey];
    for (const [index, { key }] of rows.entries()) {
      await store.verifyingKeys.put({
        keyId: `old-${index}`,
        origin: 'imported',
        depth: 30,
        source: '',
        key,
        createdAt: 1,
        fingerprint: Uint8Array.from(Buffer.from(fingerprint(key), 'hex')),
      });
    }
    await store.close();
    const env = {
      ...productionEnv(dataDir),
      PROOFGATE_VERIFY_KEY_PRODUCTION: 'old-0',
      PROOFGATE_VERIFY_KEY_STAGING: 'old-1',
    };
    const { code, stderr } = await runIn(dataDir, ['serve'], { env, buildApp });
    expect(code).toBe(78);
    expect(stderr).toContain('key old-0, bound by verify.key.production, is refused: delta equals gamma');
    expect(stderr).toContain(
      'key old-1, bound by verify.key.staging, is refused: ic[2] is the point at infinity',
    );
  });
});
