import { beforeAll, describe, expect, it } from 'vitest';
import { decodeProof } from '../../src/membership/decode-proof.ts';
import {
  externalNullifier,
  hashSignal,
  hashToField,
  type Poseidon,
  rpIdOf,
} from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { commitmentOf, identityFromSecret, nullifierHashOf } from '../../src/semaphore/identity.ts';
import { describeEngineInThread } from '../engine/support/describe-engine.ts';
import { bytes, depthKey, PROOFS, words } from '../engine/support/vectors.ts';
import { useOneThreadCurves } from '../support/crypto/one-thread-curves.ts';
import { referencePoseidon, referenceRoot } from '../support/crypto/reference-tree.ts';
import { referenceVerdict } from '../support/crypto/reference-verdict.ts';
import {
  bytesOf,
  DEVELOPMENT_KEY_BYTES,
  DEVELOPMENT_KEY_JSON,
  FIXTURES,
  fixture,
  REFRESH,
  refreshProof,
} from './support/fixtures.ts';

const isCompressed = (proof: Uint8Array): boolean => proof.subarray(128).every((byte) => byte === 0);

const all = [
  ...FIXTURES.map(bytesOf),
  { proof: refreshProof(REFRESH.header), inputs: words(REFRESH.public_inputs) },
];

describe('the committed proofs under dev-depth30', () => {
  useOneThreadCurves('bn128');
  let poseidon: Poseidon;
  beforeAll(async () => {
    poseidon = await referencePoseidon();
  });

  it.each(FIXTURES)('prove the statement that their file names: $name', async (entry) => {
    const identity = identityFromSecret(entry.secret);
    const leaves = await Promise.all(
      entry.leaves.map((secret) => commitmentOf(identityFromSecret(secret), poseidon)),
    );
    const external = externalNullifier(entry.app_id, entry.action);
    expect(entry.leaves).toContain(entry.secret);
    expect(rpIdOf(entry.app_id)).toBe(entry.rp_id);
    expect(toHex(await referenceRoot(leaves))).toBe(entry.merkle_root);
    expect(toHex(external)).toBe(entry.external_nullifier_hash);
    expect(toHex(hashSignal(entry.signal ?? ''))).toBe(entry.signal_hash);
    expect(toHex(await nullifierHashOf(identity, external, poseidon))).toBe(entry.nullifier_hash);
  });

  it('are each accepted by snarkjs', async () => {
    for (const { proof, inputs } of all) {
      expect(await referenceVerdict(DEVELOPMENT_KEY_JSON, proof, inputs)).toBe(1);
    }
  });

  it('cover each case that tests need', () => {
    const distinct = (values: readonly unknown[]): number => new Set(values).size;
    expect(distinct(FIXTURES.map(({ secret }) => secret))).toBeGreaterThanOrEqual(2);
    expect(distinct(FIXTURES.map(({ merkle_root }) => merkle_root))).toBeGreaterThanOrEqual(2);
    expect(distinct(FIXTURES.map(({ app_id }) => app_id))).toBeGreaterThanOrEqual(2);
    expect(fixture(0).nullifier_hash).toBe(fixture(1).nullifier_hash);
    expect(fixture(0).merkle_root).not.toBe(fixture(1).merkle_root);
    expect(fixture(2).nullifier_hash).not.toBe(fixture(1).nullifier_hash);
    expect(FIXTURES.filter(({ signal }) => signal === undefined)).toHaveLength(1);
    expect(FIXTURES.filter((entry) => isCompressed(bytesOf(entry).proof))).toHaveLength(1);
    expect(FIXTURES.filter(({ tree }) => tree === 'device')).toHaveLength(1);
    for (const { proof } of FIXTURES) expect(decodeProof(proof)).toEqual(bytes(proof));
  });

  it('include a refresh header whose members match its statement', async () => {
    const commitment = await commitmentOf(identityFromSecret(REFRESH.secret), poseidon);
    const external = hashToField(Buffer.from('proofgate-refresh'));
    const identity = identityFromSecret(REFRESH.secret);
    expect(toHex(commitment)).toBe(REFRESH.id_comm);
    expect(REFRESH.public_inputs.map(String)).toEqual(
      [
        await referenceRoot([commitment]),
        await nullifierHashOf(identity, external, poseidon),
        hashToField(bytes(REFRESH.sub)),
        external,
      ].map(toHex),
    );
    expect(JSON.parse(Buffer.from(REFRESH.header, 'base64').toString())).toEqual({
      proof: expect.stringMatching(/^0x[0-9a-f]{512}$/),
      nullifierHash: REFRESH.public_inputs[1],
      externalNullifier: 'proofgate-refresh',
      idCommitment: REFRESH.id_comm,
      sub: REFRESH.sub,
    });
  });
});

describeEngineInThread('the committed proofs under dev-depth30', (engine) => {
  beforeAll(async () => {
    await engine().registerKey('dev-depth30', DEVELOPMENT_KEY_BYTES);
    await engine().registerKey('semaphore-depth30', depthKey(30));
  });

  it('hold, and fail with any one input changed', async () => {
    for (const { proof, inputs } of all) {
      expect(await engine().verify('dev-depth30', proof, inputs)).toEqual({ ok: true });
      for (const at of [31, 63, 95, 127]) {
        const changed = inputs.slice();
        changed[at] = (changed[at] as number) ^ 1;
        expect(await engine().verify('dev-depth30', proof, changed)).toEqual({ ok: false });
      }
    }
  });

  it('fail under the ceremony key', async () => {
    for (const { proof, inputs } of all) {
      expect(await engine().verify('semaphore-depth30', proof, inputs)).toEqual({ ok: false });
    }
  });

  it('cannot be replaced by a proof under the ceremony key, which fails under dev-depth30', async () => {
    const ceremony = PROOFS.filter(({ depth }) => depth === 30);
    expect(ceremony.length).toBeGreaterThan(60);
    const verdicts = await Promise.all(
      ceremony.flatMap(({ proof, inputs }) => [
        engine().verify('semaphore-depth30', proof, inputs),
        engine().verify('dev-depth30', proof, inputs),
      ]),
    );
    expect(verdicts).toEqual(ceremony.flatMap(() => [{ ok: true }, { ok: false }]));
  });
});
