// Rules: spec/engine.md#verifying-keys and spec/engine.md#signing-keys
// Rules: spec/engine.md#degenerate-inputs. A run over 100,000 keys refused none.
import { expect, it } from 'vitest';
import { BUILT_IN_KEYS, loadBuiltInKey } from '../../src/membership/keys/built-in-keys.ts';
import { casesOf } from '../support/cases.ts';
import { be32 } from '../support/crypto/bn254.ts';
import { scalarStream, trapdoor } from '../support/crypto/trapdoor.ts';
import { expectRejected } from '../support/rejects.ts';
import { describeEngine, describeEngineInThread } from './support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, PROOFS, word } from './support/vectors.ts';

const MANY = casesOf(300, 10);
const P = '0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47';
// A point on the twist outside the r-order subgroup (spec/verification.md#subgroup-check), in the word order
// of a key.
const OUTSIDE_G2 = [
  '0x0',
  '0x1',
  '0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4',
  '0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb',
];

/** The depth-30 key with words replaced, starting at `fromWord`. */
function keyWith(fromWord: number, texts: readonly string[]): Uint8Array {
  const key = depthKey(30);
  texts.forEach((text, index) => {
    key.set(word(text), (fromWord + index) * 32);
  });
  return key;
}

describeEngine('keys of the engine', (engine) => {
  it('accepts the same key twice and refuses another one with its id', async () => {
    await engine().registerKey('one', depthKey(30));
    await engine().registerKey('one', depthKey(30));
    await expect(engine().registerKey('one', depthKey(20))).rejects.toMatchObject({ code: 'key.conflict' });
    const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
    expect(await engine().verify('one', proof, inputs)).toEqual({ ok: true });
  });

  it('resolves concurrent registrations with one id', async () => {
    const outcomes = await Promise.allSettled([
      engine().registerKey('race', depthKey(16)),
      engine().registerKey('race', depthKey(20)),
      engine().registerKey('race', depthKey(16)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('knows a key after its registration, and not before', async () => {
    const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
    const registered = engine().registerKey('later', depthKey(30));
    expect(engine().inputCount('later')).toBeUndefined();
    expect(await engine().verify('later', proof, inputs)).toEqual({ ok: false, code: 'engine.key_unknown' });
    await registered;
    expect(engine().inputCount('later')).toBe(4);
  });

  const refused: readonly (readonly [string, Uint8Array, string, string])[] = [
    ['is truncated', depthKey(30).subarray(1), 'key.length', '767'],
    ['has no IC point', depthKey(30).subarray(0, 448), 'key.length', '448'],
    ['has 1026 IC points', new Uint8Array(448 + 1026 * 64), 'key.length', ''],
    ['has a coordinate of p', keyWith(0, [P]), 'key.coordinate_range', 'alpha'],
    ['has α off the curve', keyWith(1, ['5']), 'key.point_not_on_curve', 'alpha'],
    ['has β off the twist', keyWith(2, ['5']), 'key.point_not_on_curve', 'beta'],
    ['has an IC point off the curve', keyWith(14 + 3 * 2, ['5']), 'key.point_not_on_curve', 'ic[3]'],
    ['has γ outside the subgroup', keyWith(6, OUTSIDE_G2), 'key.point_not_in_subgroup', 'gamma'],
    ['has δ at infinity', keyWith(10, ['0', '0', '0', '0']), 'key.point_at_infinity', 'delta'],
  ];
  it.each(refused)('refuses a key that %s, naming the point', async (_what, key, code, part) => {
    const error = await engine()
      .registerKey('bad', key)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error).toMatchObject({ name: 'ServiceError', code });
    expect((error as Error).message).toContain(part);
    expect(engine().inputCount('bad')).toBeUndefined();
  });

  it('accepts a valid key with an id whose first key was refused', async () => {
    await expectRejected(engine().registerKey('second try', keyWith(0, [P])), 'key.coordinate_range');
    await engine().registerKey('second try', depthKey(30));
    expect(engine().inputCount('second try')).toBe(4);
  });

  it(`serves ${MANY} keys at the same time, each with its own proofs`, async () => {
    const key = await trapdoor(1);
    const ids = Array.from({ length: MANY }, (_, index) => `many-${index}`);
    await Promise.all(ids.map((id) => engine().registerKey(id, key.key)));
    const [validProof, falseProof] = [key.prove([7n], 3n, 5n), key.prove([7n], 3n, 5n, true)];
    const verdicts = await Promise.all(
      ids.map((id, index) => engine().verify(id, index % 3 === 0 ? falseProof : validProof, word('7'))),
    );
    expect(verdicts.map(({ ok }) => ok)).toEqual(ids.map((_, index) => index % 3 !== 0));
  });

  it('derives a signing key, returns its public key and wipes the seed', async () => {
    const [row] = CREDENTIALS.eddsa;
    const seed = bytes(row?.seed_hex as string);
    const publicKey = await engine().registerSigningKey('issuer', seed);
    expect(seed).toEqual(new Uint8Array(32));
    expect(publicKey).toEqual(
      new Uint8Array(
        Buffer.concat([
          word(row?.public_key[0] as string),
          word(row?.public_key[1] as string),
          bytes(row?.public_key_compressed as string),
        ]),
      ),
    );
  });

  it('accepts the same seed twice and refuses another one with its id', async () => {
    const seed = (): Uint8Array => new Uint8Array(32).fill(9);
    const first = await engine().registerSigningKey('twice', seed());
    expect(await engine().registerSigningKey('twice', seed())).toEqual(first);
    const other = new Uint8Array(32).fill(8);
    await expect(engine().registerSigningKey('twice', other)).rejects.toMatchObject({ code: 'key.conflict' });
    expect(other).toEqual(new Uint8Array(32));
    const message = word('5');
    const signature = await engine().signCredentialHash('twice', message);
    expect(await engine().verifySignature(first.subarray(64), message, signature)).toBe(true);
  });

  it('refuses a seed that is not 32 bytes, and wipes it', async () => {
    for (const length of [0, 31, 33, 64]) {
      const seed = new Uint8Array(length).fill(7);
      await expectRejected(engine().registerSigningKey('short', seed), 'signing_key.length');
      expect(seed).toEqual(new Uint8Array(length));
    }
    await expectRejected(engine().signCredentialHash('short', word('1')), 'engine.key_unknown');
  });
});

/** Public inputs of the keys, one after the other; 17, 33 and 65 begin another bound of the search. */
const INPUTS = [0, 1, 2, 3, 4, 4, 4, 5, 15, 17, 33, 65];

describeEngineInThread('verifying keys without a relation', (engine) => {
  it('are accepted: random ones', async () => {
    const next = scalarStream('random verifying keys');
    const scalars = (count: number): Uint8Array =>
      Buffer.concat(Array.from({ length: count }, () => be32(next())));
    for (let index = 0; index < casesOf(1000, 24); index++) {
      const inputs = INPUTS[index % INPUTS.length] as number;
      const g1 = await engine().generatorMultiples('g1', scalars(inputs + 2));
      const g2 = await engine().generatorMultiples('g2', scalars(3));
      const key = Buffer.concat([g1.subarray(0, 64), g2, g1.subarray(64)]);
      await engine().registerKey(`random ${index}`, key);
    }
  });

  // src/membership/keys/key-registry.ts skips the search for them
  it.each(BUILT_IN_KEYS)('are accepted: $keyId', async (row) => {
    const { key } = await loadBuiltInKey(row);
    await engine().registerKey(row.keyId, key);
  });
});
