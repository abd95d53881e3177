import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  externalNullifier,
  hashSignal,
  hashToField,
  type Poseidon,
  pair,
} from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import {
  commitmentOf,
  type Identity,
  identityFromSecret,
  nullifierHashOf,
  randomIdentity,
} from '../../src/semaphore/identity.ts';
import { oneLeafProof } from '../../src/semaphore/merkle-tree.ts';
import { isBelowScalarOrder, numberOf, SCALAR_ORDER, wordOf } from '../../src/semaphore/words.ts';
import { bytes } from '../engine/support/vectors.ts';
import { referencePoseidon } from '../support/crypto/reference-tree.ts';
import { AUTHENTICATION_PROOFS, IDENTITIES } from './support/third-party.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';

/** Identity of a secret in bytes (spec/verification.md#identity-from-a-secret), implemented independently. */
function identityOfBytes(secret: Uint8Array): Identity {
  const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
  const digest = sha256(secret).toString('hex');
  const part = (label: string): Uint8Array => wordOf(numberOf(sha256(digest + label)) % SCALAR_ORDER);
  return { trapdoor: part('identity_trapdoor'), nullifier: part('identity_nullifier') };
}

describe('an identity', () => {
  let poseidon: Poseidon;
  beforeAll(async () => {
    poseidon = await referencePoseidon();
  });

  it('of the secret "proofgate" equals that of the specification', async () => {
    const identity = identityFromSecret('proofgate');
    expect(toHex(identity.trapdoor)).toBe(
      '0x0a6b17a7e1d4e1d6ef2450a346624eba1840fc124a180cab44b1bda7890ea80d',
    );
    expect(toHex(identity.nullifier)).toBe(
      '0x0c3ecb9fda8b81fd04f74e9f854f0e5fda9699ac7802c76aacf9dc287345f582',
    );
    expect(toHex(await commitmentOf(identity, poseidon))).toBe(
      '0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78',
    );
    const nullifier = await nullifierHashOf(identity, externalNullifier(APP, 'test-action'), poseidon);
    expect(toHex(nullifier)).toBe('0x0b1609143eeb85c2a83f0b2f9d58eb6a3914b3cfc937d647ed6a38ce96fc8c32');
  });

  it('of a secret of another project has the parts and commitment of that project', async () => {
    const known = IDENTITIES.filter(({ label }) => label === undefined || label === 'identity_trapdoor');
    expect(known.length).toBeGreaterThanOrEqual(2);
    for (const row of known) {
      const identity = identityFromSecret(row.secret_ascii);
      if (row.trapdoor !== undefined) expect(toHex(identity.trapdoor)).toBe(row.trapdoor);
      if (row.nullifier !== undefined) expect(toHex(identity.nullifier)).toBe(row.nullifier);
      expect(toHex(await commitmentOf(identity, poseidon))).toBe(row.commitment);
    }
  });

  it('has the nullifier hash of another project for an external nullifier', async () => {
    const [row] = IDENTITIES.filter(({ nullifier_hash }) => nullifier_hash !== undefined);
    const external = hashToField(Buffer.from(row?.external_nullifier_ascii ?? ''));
    const nullifier = await nullifierHashOf(identityFromSecret(row?.secret_ascii ?? ''), external, poseidon);
    expect(toHex(nullifier)).toBe(row?.nullifier_hash);
  });

  it('encodes a non-ASCII secret as UTF-8', () => {
    expect(identityFromSecret('pröof ☃')).toEqual(identityOfBytes(Buffer.from('pröof ☃', 'utf8')));
  });

  it('generated at random has parts below the scalar order, and is different each time', () => {
    const parts = Array.from({ length: 50 }, randomIdentity).flatMap((one) => [one.trapdoor, one.nullifier]);
    expect(parts.every(isBelowScalarOrder)).toBe(true);
    expect(new Set(parts.map(toHex)).size).toBe(100);
  });

  it('depends on the order of its parts, nullifier first', async () => {
    const identity = identityFromSecret('proofgate');
    const swapped = { trapdoor: identity.nullifier, nullifier: identity.trapdoor };
    expect(await commitmentOf(swapped, poseidon)).not.toEqual(await commitmentOf(identity, poseidon));
    const inner = await poseidon(pair(identity.nullifier, identity.trapdoor));
    expect(await poseidon(inner)).toEqual(await commitmentOf(identity, poseidon));
  });

  it.each(AUTHENTICATION_PROOFS)('results in the statement of a third-party proof ($origin)', async (row) => {
    const [root, nullifierHash, signalHash, external] = row.public_inputs;
    const identity =
      row.secret_ascii === undefined
        ? identityOfBytes(bytes(row.secret ?? ''))
        : identityFromSecret(row.secret_ascii);
    const preimage =
      row.external_nullifier_ascii === undefined
        ? bytes(row.external_nullifier_preimage ?? '')
        : Buffer.from(row.external_nullifier_ascii);
    const commitment = await commitmentOf(identity, poseidon);
    expect(toHex(commitment)).toBe(row.id_commitment);
    expect(toHex((await oneLeafProof(commitment, poseidon)).root)).toBe(root);
    expect(toHex(hashToField(preimage))).toBe(external);
    expect(toHex(await nullifierHashOf(identity, hashToField(preimage), poseidon))).toBe(nullifierHash);
    expect(toHex(hashSignal(bytes(row.signal_preimage)))).toBe(signalHash);
  });
});
