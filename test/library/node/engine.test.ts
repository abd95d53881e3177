import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createEngine,
  type Engine,
  eddsa,
  poseidon,
  poseidon2,
  type Statement,
} from '../../../src/library/index.ts';
import { describeBackend } from '../../engine/support/describe-engine.ts';
import { depthKey } from '../../engine/support/vectors.ts';
import { casesOf } from '../../support/cases.ts';
import { R } from '../../support/crypto/bn254.ts';
import { degenerateKeys, forgeableKeys } from '../../support/crypto/forgeable-keys.ts';
import { CASE_CLASSES, proofCases } from '../../support/crypto/proof-cases.ts';
import { trapdoor as makeTrapdoor } from '../../support/crypto/trapdoor.ts';
import {
  COMPRESSED_BYTES,
  decimals,
  KEY,
  KEY_TEXT,
  PROOF,
  PROOF_BYTES,
  SIGNAL_BYTES,
  SIGNALS,
  snarkjsProof,
} from '../support/semaphore-statement.ts';

/** Verdict of each verdict byte of `proofCases`. */
const CODES = [
  undefined,
  undefined,
  'proof.false',
  'proof.decompression',
  'proof.coordinate_range',
  'proof.point_not_on_curve',
  'proof.point_not_in_subgroup',
  'input.range',
];

describeBackend('the engine of the library', (backend) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ workers: 1, backend });
    await engine.addKey('semaphore', KEY);
  });
  afterAll(() => engine.close());

  it('verifies a real proof in every form', async () => {
    for (const proof of [PROOF, PROOF_BYTES, COMPRESSED_BYTES]) {
      for (const signals of [SIGNALS, SIGNALS.map(BigInt), SIGNAL_BYTES]) {
        expect(await engine.verify('semaphore', proof, signals)).toEqual({ valid: true });
      }
    }
  });

  it('tells why another statement does not hold', async () => {
    const changed = [...SIGNALS.slice(0, 3), '1'];
    expect(await engine.verify('semaphore', PROOF, changed)).toMatchObject({
      valid: false,
      code: 'proof.false',
    });
    const large = [...SIGNALS.slice(0, 3), String(BigInt(SIGNALS[3] ?? '') + R)];
    expect(await engine.verify('semaphore', PROOF, large)).toMatchObject({
      valid: false,
      code: 'input.range',
    });
  });

  it('takes a key as text, as parsed and as bytes, the same one again, and no other under its id', async () => {
    for (const key of [KEY_TEXT, KEY, depthKey(30)]) await engine.addKey('again', key);
    expect(await engine.verify('again', PROOF, SIGNALS)).toEqual({ valid: true });
    await expect(engine.addKey('again', depthKey(20))).rejects.toMatchObject({ code: 'key.conflict' });
    await expect(engine.addKey('short', new Uint8Array(447))).rejects.toMatchObject({ code: 'key.length' });
  });

  it('refuses keys under which proofs can be forged, and degenerate ones unless they are allowed', async () => {
    const [forgeable] = await forgeableKeys();
    const [degenerate] = await degenerateKeys();
    const allowed = { allowDegenerateInputs: true };
    await expect(engine.addKey('f', forgeable?.key ?? '', allowed)).rejects.toMatchObject({
      name: 'ProofgateError',
      code: 'key.forgeable',
    });
    await expect(engine.addKey('d', degenerate?.key ?? '')).rejects.toMatchObject({
      code: 'key.degenerate_inputs',
    });
    await engine.addKey('d', degenerate?.key ?? '', allowed);
  });

  it('answers many proofs of every class, one by one and together, as they were made', async () => {
    const trapdoor = await makeTrapdoor(4);
    await engine.addKey('trapdoor', trapdoor.key);
    const statements: Statement[] = [];
    const expected: (string | undefined)[] = [];
    for await (const { proof, inputs, expected: byte } of proofCases(
      trapdoor,
      casesOf(120, 2 * CASE_CLASSES.length),
      'library',
    )) {
      // Zeros in the second half of 256 bytes are a compressed proof, which has 128 bytes here.
      const isCompressed = proof.subarray(128).every((value) => value === 0);
      statements.push({
        proof: isCompressed ? proof.slice(0, 128) : snarkjsProof(proof),
        publicSignals: decimals(inputs),
      });
      expected.push(CODES[byte]);
    }
    expect(new Set(expected).size).toBe(CODES.length - 1);
    const together = await engine.verifyMany('trapdoor', statements);
    expect(together.map(({ code }) => code)).toEqual(expected);
    for (const [index, { proof, publicSignals }] of statements.slice(0, 30).entries()) {
      expect((await engine.verify('trapdoor', proof, publicSignals)).code).toBe(expected[index]);
    }
  });

  it('says what runs', () => {
    expect(engine.stats()).toMatchObject({ backend, workers: 1, readyWorkers: 1, workerRestarts: 0 });
    expect(engine.stats().verified).toBeGreaterThan(100);
  });
});

describe('createEngine', () => {
  it.each([
    { workers: -1 },
    { workers: 1.5 },
    { workers: '2' },
    { maxQueue: 0 },
    { maxBatch: 257 },
    { backend: 'gpu' },
  ])('refuses %o', async (options) => {
    await expect(createEngine(options as object)).rejects.toMatchObject({ code: 'engine.option' });
  });

  it('rejects verify with engine.busy when the queue is full, which verifyMany waits for', async () => {
    await using engine = await createEngine({ workers: 1, maxQueue: 4, maxBatch: 1 });
    await engine.addKey('key', KEY);
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => engine.verify('key', PROOF, SIGNALS)),
    );
    const rejected = answers.filter((answer) => answer.status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected)
      expect(reason).toMatchObject({ name: 'ProofgateError', code: 'engine.busy' });
    const many = Array.from({ length: 20 }, () => ({ proof: PROOF, publicSignals: SIGNALS }));
    const verdicts = await Promise.all([engine.verifyMany('key', many), engine.verifyMany('key', many)]);
    expect(verdicts.flat().every(({ valid }) => valid)).toBe(true);
  });
});

describe('poseidon, poseidon2 and eddsa', () => {
  it('run in the calling thread', async () => {
    expect(await poseidon(['1', 2n])).toBe(
      7853200120776062878684798364095072458815029376092732009249414926327459813530n,
    );
    expect((await poseidon2([0, 1, 2]))[0]).toBe(
      0x0bb61d24daca55eebcb1929a82650f328134334da98ea4f847f760054f4a3033n,
    );
    const seed = new Uint8Array(32).fill(7);
    const { bytes: publicKey } = await eddsa.publicKey(seed);
    const signature = await eddsa.sign(seed, 5);
    expect(await eddsa.verify(publicKey, 5, signature)).toBe(true);
    expect(await eddsa.verify(publicKey, 6, signature)).toBe(false);
  });
});
