/** Keys, proofs and requests of `POST /api/v1/groth16/{key_id}`. */

import { fingerprint } from '../../../src/membership/keys/built-in-keys.ts';
import type { Store } from '../../../src/storage/store.ts';
import { snarkjsProof } from '../../library/support/semaphore-statement.ts';
import { type Trapdoor, trapdoor } from '../../support/crypto/trapdoor.ts';
import { type Fields, type ProofVector, vector } from './vectors.ts';
import type { VerifyReply } from './verify-client.ts';

/** Numbers of public inputs of the keys `inputs-<number>`. */
export const INPUT_COUNTS = [0, 1, 64, 1024] as const;

const TRAPDOORS: ReadonlyMap<number, Trapdoor> = new Map(
  await Promise.all(INPUT_COUNTS.map(async (count) => [count, await trapdoor(count)] as const)),
);

/** Stores a key as an import by another process does. */
export async function putKey(
  store: Pick<Store, 'verifyingKeys'>,
  keyId: string,
  key: Uint8Array,
): Promise<void> {
  await store.verifyingKeys.put({
    keyId,
    key,
    origin: 'imported',
    depth: null,
    source: 'test',
    createdAt: Date.now(),
    fingerprint: Uint8Array.from(Buffer.from(fingerprint(key), 'hex')),
  });
}

/** Stores the keys `inputs-<number>` of `INPUT_COUNTS`. */
export async function putTrapdoorKeys(store: Pick<Store, 'verifyingKeys'>): Promise<void> {
  for (const [count, { key }] of TRAPDOORS) await putKey(store, `inputs-${count}`, key);
}

/** Makes a member for the key `inputs-<count>`, with the proof in the form of snarkjs and signals 1, 2, … in decimal. */
export function trapdoorMember(count: (typeof INPUT_COUNTS)[number], isFalse = false): Fields {
  const inputs = Array.from({ length: count }, (_, index) => BigInt(index + 1));
  const proof = TRAPDOORS.get(count)?.prove(inputs, 5n, 7n, isFalse) ?? new Uint8Array();
  return { proof: snarkjsForm(proof), publicSignals: inputs.map(String) };
}

/** Converts the bytes of a proof to the object that snarkjs writes. */
export function snarkjsForm(proof: Uint8Array): Record<'pi_a' | 'pi_b' | 'pi_c', unknown[]> & Fields {
  const { pi_a, pi_b, pi_c, ...names } = snarkjsProof(proof);
  return { pi_a: [...pi_a], pi_b: [...pi_b], pi_c: [...pi_c], ...names };
}

/** A third-party proof for the key `semaphore-depth30`, and its signals in hex. */
export const ENTRY: ProofVector = vector(0);

/** Makes a member of a third-party proof, in hex. */
export function memberOf(entry: ProofVector = ENTRY): { proof: string; publicSignals: string[] } {
  const { proof, merkle_root, nullifier_hash, signal_hash, external_nullifier_hash } = entry;
  return { proof, publicSignals: [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash] };
}

/** Returns the bytes of the proof of an entry. */
export function proofBytesOf({ proof }: ProofVector): Buffer {
  return Buffer.from(proof.slice(2), 'hex');
}

/** Posts a body: text unchanged, anything else as JSON. */
export async function postProofs(
  publicUrl: string,
  keyId: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<VerifyReply> {
  const answer = await fetch(`${publicUrl}/api/v1/groth16/${keyId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Fields };
}
