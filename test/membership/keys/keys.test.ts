import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import {
  BUILT_IN_KEYS,
  builtInKey,
  FORGEABLE_FINGERPRINTS,
  fingerprint,
  keyFrom,
  loadBuiltInKey,
} from '../../../src/membership/keys/built-in-keys.ts';
import { importKey } from '../../../src/membership/keys/import-key.ts';
import { createKeyRegistry } from '../../../src/membership/keys/key-registry.ts';
import { boundKey, checkKeyUse, listKeys, readKey } from '../../../src/membership/keys/verifying-keys.ts';
import type { Store } from '../../../src/storage/store.ts';
import { CREDENTIALS } from '../../engine/support/vectors.ts';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };
import { openTempStore } from '../../verification/support/temp-store.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const DEPTH30 = read('circuits/semaphore-depth30/verification-key.json');
type Json = Record<string, unknown>;
const original = JSON.parse(DEPTH30) as Json & {
  readonly vk_alpha_1: readonly string[];
  readonly IC: readonly unknown[];
};
const [alphaX = '', alphaY = ''] = original.vk_alpha_1;
/** The depth-30 key with changed members; undefined removes a member. */
const changed = (members: Json): string => JSON.stringify({ ...original, ...members });
const codeOf = (text: string): string => {
  try {
    keyFrom(text);
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
};
const INFINITY_G2 = [
  ['0', '0'],
  ['1', '0'],
  ['0', '0'],
];
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
// a point on the twist outside the subgroup (spec/verification.md#subgroup-check)
const OUTSIDE = [
  ['1', '0'],
  [
    BigInt('0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb').toString(),
    BigInt('0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4').toString(),
  ],
  ['1', '0'],
];

describe('fingerprints', () => {
  it.each(BUILT_IN_KEYS)('of $keyId is the published one, and is in its README', async (row) => {
    const { key, inputCount } = await loadBuiltInKey(row);
    expect(fingerprint(key)).toBe(row.fingerprint);
    const inputs = /15$|^worldid4$/.test(row.keyId) ? 15 : 4;
    expect([key.length, inputCount]).toEqual([512 + 64 * inputs, inputs]);
    const folder = `circuits/${row.keyId}`;
    const readme = read(`${folder}/README.md`);
    expect(readme).toContain(row.fingerprint);
    const sha256 = createHash('sha256')
      .update(read(`${folder}/verification-key.json`))
      .digest('hex');
    expect(readme).toContain(sha256);
  });

  it('include the checksum of the example proof in its README', () => {
    const sha256 = createHash('sha256').update(read('circuits/semaphore-depth30/example.json')).digest('hex');
    expect(read('circuits/semaphore-depth30/README.md')).toContain(sha256);
    const [first] = JSON.parse(read('test/vectors/semaphore-proofs.json')) as unknown[];
    expect(JSON.parse(read('circuits/semaphore-depth30/example.json'))).toEqual(first);
  });

  it('identify the previous and the current development key, which production refuses', async () => {
    for (const file of [
      'test/vectors/former-dev-depth30.json',
      'circuits/dev-depth30/verification-key.json',
    ]) {
      const parts = { engine: { registerKey: async () => undefined }, store: {} as Store };
      const attempt = importKey({ keyId: 'innocent', key: keyFrom(read(file)) }, parts, 'production', 1000);
      await expect(attempt, file).rejects.toMatchObject({ code: 'key.forbidden' });
    }
  });

  it('identify the keys with public trapdoors', () => {
    for (const name of ['trapdoor_4', 'groth16_simulated'] as const) {
      const { key } = keyFrom(JSON.stringify(CREDENTIALS[name].verifying_key));
      expect(FORGEABLE_FINGERPRINTS.has(fingerprint(key)), name).toBe(true);
    }
    const { key } = keyFrom(JSON.stringify(worldId4.keys['trapdoor-15'].verification_key));
    expect(FORGEABLE_FINGERPRINTS.get(fingerprint(key))).toBe('trapdoor-15');
  });
});

describe('keyFrom', () => {
  it.each([
    ['no JSON', '{', 'key.not_json expected a key as JSON'],
    ['an array', '[]', 'key.not_json expected a key as an object, got an array'],
    ['plonk', changed({ protocol: 'plonk' }), 'key.protocol protocol: expected "groth16", got "plonk"'],
    [
      'another curve',
      changed({ curve: 'bls12381' }),
      'key.protocol curve: expected "bn128", also called "bn254", got "bls12381"',
    ],
    ['nPublic as a word', changed({ nPublic: 'four' }), 'key.not_json nPublic: expected a whole number'],
    [
      'too few IC points',
      changed({ IC: original.IC.slice(1) }),
      'key.input_count IC: expected nPublic + 1 = 5 points',
    ],
    ['too many public inputs', changed({ nPublic: 1025, IC: new Array(1026) }), 'key.input_count'],
    ['no gamma', changed({ vk_gamma_2: undefined }), 'key.not_json vk_gamma_2: expected'],
    ['a hex coordinate without 0x', changed({ vk_alpha_1: ['f1', '2', '1'] }), 'key.not_json vk_alpha_1[0]'],
    [
      'a number that is not exact',
      changed({ vk_alpha_1: [2 ** 53, '2', '1'] }),
      'key.not_json vk_alpha_1[0]',
    ],
    [
      'a very long coordinate',
      changed({ vk_alpha_1: ['9'.repeat(100_000), '2', '1'] }),
      'key.coordinate_range vk_alpha_1',
    ],
    [
      'z of 2',
      changed({ vk_alpha_1: ['1', '2', '2'] }),
      'key.not_json vk_alpha_1: expected a point of the curve',
    ],
    ['alpha at infinity', changed({ vk_alpha_1: ['0', '1', '0'] }), 'key.point_at_infinity vk_alpha_1'],
    ['beta at infinity', changed({ vk_beta_2: INFINITY_G2 }), 'key.point_at_infinity vk_beta_2'],
    ['gamma at infinity', changed({ vk_gamma_2: INFINITY_G2 }), 'key.point_at_infinity vk_gamma_2'],
    ['delta at infinity', changed({ vk_delta_2: INFINITY_G2 }), 'key.point_at_infinity vk_delta_2'],
  ])('refuses %s', (_name, text, expected) => {
    expect(codeOf(text)).toMatch(new RegExp(`^${expected.replace(/[[\]+.]/g, '\\$&')}`));
  });

  it.each([
    ['no protocol', changed({ protocol: undefined })],
    ['no nPublic', changed({ nPublic: undefined })],
    ['nPublic as text', changed({ nPublic: '4' })],
    ['another name of the curve', changed({ curve: 'alt_bn128' })],
    ['leading zeros and hex', changed({ vk_alpha_1: [`00${alphaX}`, `0x${BigInt(alphaY).toString(16)}`] })],
  ])('reads a key with %s', (_name, text) => {
    expect(keyFrom(text)).toEqual(keyFrom(DEPTH30));
  });

  it('reads a key with another number of inputs, and infinity among the IC points as zeros', () => {
    const text = changed({ nPublic: 1, IC: [original.IC[0], ['0', '1', '0']] });
    const { key, inputCount } = keyFrom(text);
    expect([inputCount, key.length]).toEqual([1, 576]);
    expect(key.subarray(512).every((byte) => byte === 0)).toBe(true);
  });
});

describe('keys of a profile', () => {
  let temp: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let engine: Engine;
  beforeAll(async () => {
    temp = await openTempStore();
    store = temp.store;
    engine = await createEngine({
      workers: 0,
      backend: 'wasm',
      maxQueue: 64,
      maxBatch: 8,
      maxBatchDelayMs: 0,
    });
  });
  afterAll(async () => {
    await engine.close();
    await temp.close();
  });

  it('include the ceremony keys always, forgeable ones outside production, and trapdoor-4 only in test and bench', async () => {
    const semaphore = ['semaphore-depth16', 'semaphore-depth20', 'semaphore-depth30'];
    const all = [...semaphore, 'dev-depth30', 'worldid4', 'trapdoor-15'];
    const idsOf = async (profile: 'production' | 'development' | 'test' | 'bench'): Promise<string[]> =>
      (await listKeys(profile, store.verifyingKeys)).map(({ keyId }) => keyId);
    expect(await idsOf('production')).toEqual([...semaphore, 'worldid4']);
    expect(await idsOf('development')).toEqual(all);
    expect(await idsOf('test')).toEqual([...all, 'trapdoor-4']);
    expect(await idsOf('bench')).toEqual([...all, 'trapdoor-4']);
  });

  it('include an imported key, which can be imported again', async () => {
    const request = { keyId: 'own-key', key: keyFrom(DEPTH30), depth: 30, source: 'ours' };
    const info = await importKey(request, { engine, store }, 'production', 1000);
    expect(info).toMatchObject({
      keyId: 'own-key',
      origin: 'imported',
      depth: 30,
      inputCount: 4,
      isBuiltIn: false,
    });
    await importKey(request, { engine, store }, 'production', 2000);
    const found = await readKey('own-key', 'production', store.verifyingKeys);
    expect(found).toMatchObject({
      fingerprint: builtInKey('semaphore-depth30')?.fingerprint,
      source: 'ours',
    });
    expect((await listKeys('production', store.verifyingKeys)).at(-1)?.keyId).toBe('own-key');
  });

  it.each([
    ['x >= p', changed({ vk_alpha_1: [(P + 1n).toString(), '2', '1'] }), 'key.coordinate_range'],
    ['a point off the curve', changed({ vk_alpha_1: ['1', '3', '1'] }), 'key.point_not_on_curve'],
    [
      'an IC point off the curve',
      changed({ IC: [...original.IC.slice(0, 4), ['1', '3', '1']] }),
      'key.point_not_on_curve',
    ],
    ['delta outside the subgroup', changed({ vk_delta_2: OUTSIDE }), 'key.point_not_in_subgroup'],
    ['alpha at infinity as zeros', changed({ vk_alpha_1: ['0', '0', '1'] }), 'key.point_at_infinity'],
  ])('cannot include a key with %s, which is refused and not stored', async (_name, text, code) => {
    const attempt = async (): Promise<unknown> =>
      await importKey({ keyId: 'bad-key', key: keyFrom(text) }, { engine, store }, 'development', 1000);
    await expect(attempt()).rejects.toMatchObject({ code });
    expect(await store.verifyingKeys.find('bad-key')).toBeUndefined();
  });

  it.each(['', 'UPPER', '-x', 'a b', 'a'.repeat(65), 'ä'])('cannot have the id %j', async (keyId) => {
    const attempt = importKey({ keyId, key: keyFrom(DEPTH30) }, { engine, store }, 'development', 1000);
    await expect(attempt).rejects.toMatchObject({ code: 'cli.usage' });
  });

  it('cannot have an id that is taken in the store or by a built-in key', async () => {
    const text = read('circuits/semaphore-depth20/verification-key.json');
    for (const keyId of ['own-key', 'semaphore-depth30']) {
      const fresh = await createEngine({
        workers: 0,
        backend: 'wasm',
        maxQueue: 4,
        maxBatch: 4,
        maxBatchDelayMs: 0,
      });
      const attempt = importKey({ keyId, key: keyFrom(text) }, { engine: fresh, store }, 'development', 1000);
      await expect(attempt).rejects.toMatchObject({ code: 'key.conflict' });
      await fresh.close();
    }
  });

  it('cannot include keys with a public trapdoor in production, at import or at use', async () => {
    for (const name of ['trapdoor_4', 'groth16_simulated'] as const) {
      const text = JSON.stringify(CREDENTIALS[name].verifying_key);
      const keyId = `forgeable-${name.length}`;
      const attempt = importKey({ keyId, key: keyFrom(text) }, { engine, store }, 'production', 1000);
      await expect(attempt).rejects.toMatchObject({ code: 'key.forbidden' });
      const info = await importKey({ keyId, key: keyFrom(text) }, { engine, store }, 'development', 1000);
      expect(() => checkKeyUse(info, 'production')).toThrow(keyId);
      if (info.inputCount === 4) expect(() => checkKeyUse(info, 'development')).not.toThrow();
    }
  });

  it('must have the four inputs of a Semaphore proof', () => {
    const info = {
      keyId: 'k',
      origin: 'imported',
      depth: null,
      inputCount: 3,
      fingerprint: '00',
      source: '',
      isBuiltIn: false,
    };
    expect(() => checkKeyUse({ ...info, origin: 'imported' }, 'development')).toThrow(/4 public inputs/);
  });

  it('are bound by tree in preference to environment', () => {
    const bindings = { 'verify.key.production': 'a', 'verify.key.production.face': 'b' };
    expect(boundKey(bindings, 'production', 'orb')).toBe('a');
    expect(boundKey(bindings, 'production', 'face')).toBe('b');
    expect(boundKey(bindings, 'staging', 'orb')).toBeUndefined();
  });

  it('are registered in the engine once, including one that another process imports later', async () => {
    const registered: string[] = [];
    const registry = createKeyRegistry({
      engine: { registerKey: async (keyId) => void registered.push(keyId) },
      store,
      profile: 'development',
      bindings: { 'verify.key.production': 'semaphore-depth30', 'verify.key.staging': 'missing' },
    });
    const errors = await registry.prepare(['semaphore-depth20']);
    expect(errors.map(({ code }) => code)).toEqual(['engine.key_unknown']);
    expect(registered).toEqual(['semaphore-depth30', 'semaphore-depth20']);
    await registry.ensure('semaphore-depth30');
    expect(registered).toHaveLength(2);
    await expect(registry.ensure('late-key')).rejects.toMatchObject({ code: 'engine.key_unknown' });
    await importKey({ keyId: 'late-key', key: keyFrom(DEPTH30) }, { engine, store }, 'development', 1000);
    await Promise.all([registry.ensure('late-key'), registry.ensure('late-key')]);
    expect(registered.filter((keyId) => keyId === 'late-key')).toHaveLength(1);
  });

  it('are found whatever their number of inputs is, and registered once', async () => {
    const registered: string[] = [];
    const registry = createKeyRegistry({
      engine: { registerKey: async (keyId) => void registered.push(keyId) },
      store,
      profile: 'development',
      bindings: {},
    });
    expect(await Promise.all([registry.inputCountOf('worldid4'), registry.inputCountOf('worldid4')])).toEqual(
      [15, 15],
    );
    expect(await registry.inputCountOf('worldid4')).toBe(15);
    await registry.ensure('worldid4', 15);
    expect(registered).toEqual(['worldid4']);
    await expect(registry.ensure('worldid4', 4)).rejects.toMatchObject({ code: 'key.input_count' });
    await expect(registry.inputCountOf('absent')).rejects.toMatchObject({ code: 'engine.key_unknown' });
  });

  it('exclude a stored forgeable key in production', async () => {
    const registry = createKeyRegistry({
      engine: { registerKey: async () => undefined },
      store,
      profile: 'production',
      bindings: { 'verify.key.production': 'forgeable-10' },
    });
    expect((await registry.prepare()).map(({ code }) => code)).toEqual(['key.forbidden']);
    await expect(registry.inputCountOf('forgeable-10')).rejects.toMatchObject({ code: 'key.forbidden' });
  });
});
