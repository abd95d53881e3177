// Rules: spec/engine.md#verification and spec/engine.md#refusals
import { beforeAll, describe, expect, it } from 'vitest';
import type { Verdict, VerdictReceiver } from '../../src/engine/engine.ts';
import { CASE_CLASSES, type ProofCase, proofCases, type VerdictByte } from '../support/crypto/proof-cases.ts';
import { trapdoor } from '../support/crypto/trapdoor.ts';
import { describeEngine } from './support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, keyBytes, PROOFS, words } from './support/vectors.ts';

/** Verdict of the engine for each verdict byte of a backend. */
const VERDICTS: Readonly<Record<VerdictByte, Verdict>> = {
  1: { ok: true },
  2: { ok: false },
  3: { ok: false, code: 'proof.decompression' },
  4: { ok: false, code: 'proof.coordinate_range' },
  5: { ok: false, code: 'proof.point_not_on_curve' },
  6: { ok: false, code: 'proof.point_not_in_subgroup' },
  7: { ok: false, code: 'input.range' },
};

/** A copy with the lowest bit of one input flipped; it stays below r for every proof of the test data. */
function withInputChanged(inputs: Uint8Array, index: number): Uint8Array {
  const changed = inputs.slice();
  const at = index * 32 + 31;
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}

describeEngine('verification of proofs', (engine) => {
  beforeAll(async () => {
    for (const depth of [16, 20, 30]) await engine().registerKey(`depth${depth}`, depthKey(depth));
  });

  it(`accepts all ${PROOFS.length} proofs of the test data`, async () => {
    expect(PROOFS).toHaveLength(72);
    const verdicts = await Promise.all(
      PROOFS.map(({ keyId, proof, inputs }) => engine().verify(keyId, proof, inputs)),
    );
    expect(verdicts).toEqual(PROOFS.map(() => ({ ok: true })));
  });

  it('rejects each of them with any one input changed', async () => {
    const changed = PROOFS.flatMap((row) =>
      [0, 1, 2, 3].map((index) => ({ ...row, inputs: withInputChanged(row.inputs, index) })),
    );
    const verdicts = await Promise.all(
      changed.map(({ keyId, proof, inputs }) => engine().verify(keyId, proof, inputs)),
    );
    expect(verdicts).toEqual(changed.map(() => ({ ok: false })));
  });

  it('accepts the compressed form of each proof that has one', async () => {
    const rows = PROOFS.filter(({ compressed }) => compressed);
    expect(rows.length).toBeGreaterThan(0);
    const verdicts = await Promise.all(
      rows.map(({ keyId, compressed, inputs }) => engine().verify(keyId, compressed as Uint8Array, inputs)),
    );
    expect(verdicts).toEqual(rows.map(() => ({ ok: true })));
  });

  it('answers several proofs by their indices, each once', async () => {
    const rows = PROOFS.filter(({ keyId }) => keyId === 'depth30').slice(0, 3);
    const statements = rows.map(({ proof, inputs }) => Buffer.concat([proof, inputs]));
    statements.push(Buffer.concat([rows[0]?.proof as Uint8Array, rows[1]?.inputs as Uint8Array]));
    statements.push(Buffer.alloc(385), Buffer.alloc(352));
    const answers: [number, Verdict][] = [];
    await new Promise<void>((resolve, reject) => {
      const receiver: VerdictReceiver = {
        verdict: (index, verdict) => {
          if (answers.push([index, verdict]) === statements.length + 1) resolve();
        },
        failed: (_index, fault) => reject(fault),
      };
      for (const [index, statement] of statements.entries())
        engine().verifyStatement('depth30', statement, {}, receiver, index);
      engine().verifyStatement('absent', statements[0] as Uint8Array, {}, receiver, statements.length);
    });
    await engine().verify('depth30', rows[0]?.proof as Uint8Array, rows[0]?.inputs as Uint8Array);
    const wrongLength = { ok: false, code: 'input.count' };
    expect(answers.sort(([one], [other]) => one - other).map(([, verdict]) => verdict)).toEqual([
      { ok: true },
      { ok: true },
      { ok: true },
      { ok: false },
      wrongLength,
      wrongLength,
      { ok: false, code: 'engine.key_unknown' },
    ]);
  });

  it('rejects a proof with the key of another depth', async () => {
    const row = PROOFS.find(({ depth }) => depth === 20) ?? PROOFS.find(({ depth }) => depth !== 30);
    const { proof, inputs } = row as (typeof PROOFS)[number];
    expect(await engine().verify('depth30', proof, inputs)).toEqual({ ok: false });
  });

  it('accepts the authentication proofs of the credential vectors', async () => {
    const keys: Readonly<Record<string, Uint8Array>> = {
      'semaphore-depth30-vkey.json': depthKey(30),
      'groth16_simulated.verifying_key': keyBytes(CREDENTIALS.groth16_simulated.verifying_key),
      'trapdoor_4.verifying_key': keyBytes(CREDENTIALS.trapdoor_4.verifying_key),
    };
    for (const { verifying_key, proof, public_inputs } of CREDENTIALS.authentication_proofs) {
      await engine().registerKey(verifying_key, keys[verifying_key] as Uint8Array);
      expect(await engine().verify(verifying_key, bytes(proof), words(public_inputs))).toEqual({ ok: true });
    }
  });

  describe(`each of the ${CASE_CLASSES.length} classes of proofs`, () => {
    let cases: ProofCase[];
    beforeAll(async () => {
      const key = await trapdoor();
      await engine().registerKey('trapdoor-4', key.key);
      cases = [];
      for await (const one of proofCases(key, CASE_CLASSES.length * 2, 'engine')) cases.push(one);
    });

    it('gets its verdict alone', async () => {
      for (const { name, proof, inputs, expected } of cases.slice(0, CASE_CLASSES.length)) {
        expect([name, await engine().verify('trapdoor-4', proof, inputs)]).toEqual([
          name,
          VERDICTS[expected],
        ]);
      }
    });

    it('gets the same verdict in a batch with all the others', async () => {
      const verdicts = await Promise.all(
        cases.map(async ({ name, proof, inputs }) => [
          name,
          await engine().verify('trapdoor-4', proof, inputs),
        ]),
      );
      expect(verdicts).toEqual(cases.map(({ name, expected }) => [name, VERDICTS[expected]]));
      expect(new Set(cases.map(({ expected }) => expected)).size).toBe(7);
    });
  });

  it.each([0, 1, 5, 17, 70])('verifies with a key of %i inputs', async (inputCount) => {
    const key = await trapdoor(inputCount);
    const keyId = `trapdoor-${inputCount}`;
    await engine().registerKey(keyId, key.key);
    expect(engine().inputCount(keyId)).toBe(inputCount);
    const values = Array.from({ length: inputCount }, (_, index) => BigInt(index) * 7n + 1n);
    const inputs = words(values.map(String));
    expect(await engine().verify(keyId, key.prove(values, 3n, 5n), inputs)).toEqual({ ok: true });
    expect(await engine().verify(keyId, key.prove(values, 3n, 5n, true), inputs)).toEqual({ ok: false });
  });

  it('answers malformed statements without queueing them', async () => {
    const { proof, inputs } = PROOFS[0] as (typeof PROOFS)[number];
    const before = engine().stats().verified;
    const verdicts = await Promise.all([
      engine().verify('depth30', proof.subarray(1), inputs),
      engine().verify('depth30', new Uint8Array(257), inputs),
      engine().verify('depth30', proof, inputs.subarray(32)),
      engine().verify('depth30', proof, new Uint8Array(160)),
      engine().verify('depth30', proof.subarray(1), new Uint8Array(3)),
      engine().verify('no such key', proof, inputs),
    ]);
    expect(verdicts.map(({ code }) => code)).toEqual([
      'proof.length',
      'proof.length',
      'input.count',
      'input.count',
      'proof.length',
      'engine.key_unknown',
    ]);
    expect(engine().stats().verified).toBe(before);
    expect(engine().inputCount('no such key')).toBeUndefined();
  });

  it('is not affected by changes that the caller makes after the call', async () => {
    const row = PROOFS[0] as (typeof PROOFS)[number];
    const [proof, inputs] = [row.proof.slice(), row.inputs.slice()];
    const verdict = engine().verify(row.keyId, proof, inputs);
    proof.fill(0);
    inputs.fill(0);
    expect(await verdict).toEqual({ ok: true });
  });

  it('counts and times its work', async () => {
    const { keyId, proof, inputs } = PROOFS[0] as (typeof PROOFS)[number];
    const before = engine().stats();
    await Promise.all(Array.from({ length: 40 }, () => engine().verify(keyId, proof, inputs)));
    const after = engine().stats();
    expect(after.verified - before.verified).toBe(40);
    expect(after.queueWaitSeconds.count - before.queueWaitSeconds.count).toBe(40);
    expect(after.batchSize.sum - before.batchSize.sum).toBe(40);
    expect(after.runSeconds.count - before.runSeconds.count).toBe(
      after.batchSize.count - before.batchSize.count,
    );
    expect(after).toMatchObject({
      queueDepth: 0,
      running: 0,
      workers: 2,
      readyWorkers: 2,
      workerRestarts: 0,
      poisoned: 0,
    });
  });
});
