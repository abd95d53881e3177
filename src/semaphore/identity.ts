import { sha256 } from '@noble/hashes/sha2.js';
import { encodeUtf8 } from '../bytes.ts';
import { type Poseidon, pair } from './hashes.ts';
import { toHex } from './hex.ts';
import { numberOf, SCALAR_ORDER, wordOf } from './words.ts';

/** The secrets of a person; both 32 bytes, big-endian, below the scalar order r. */
export interface Identity {
  readonly trapdoor: Uint8Array;
  readonly nullifier: Uint8Array;
}

/** Derives an identity from a secret text (spec/verification.md#identity-from-a-secret), deterministically. */
export function identityFromSecret(secret: string): Identity {
  const digest = toHex(sha256(encodeUtf8(secret))).slice(2);
  const part = (label: string): Uint8Array =>
    wordOf(numberOf(sha256(encodeUtf8(`${digest}${label}`))) % SCALAR_ORDER);
  return { trapdoor: part('identity_trapdoor'), nullifier: part('identity_nullifier') };
}

/** Generates a random identity. */
export function randomIdentity(): Identity {
  return { trapdoor: randomScalar(), nullifier: randomScalar() };
}

/** Returns the commitment of an identity, its leaf in a tree: Poseidon(Poseidon(nullifier, trapdoor)). */
export async function commitmentOf(
  { nullifier, trapdoor }: Identity,
  poseidon: Poseidon,
): Promise<Uint8Array> {
  return await poseidon(await poseidon(pair(nullifier, trapdoor)));
}

/** Returns the nullifier hash of an identity under an external nullifier, the second public input of a proof. */
export async function nullifierHashOf(
  { nullifier }: Identity,
  externalNullifier: Uint8Array,
  poseidon: Poseidon,
): Promise<Uint8Array> {
  return await poseidon(pair(externalNullifier, nullifier));
}

// 384 random bits modulo r: the bias is below 2^-128.
function randomScalar(): Uint8Array {
  return wordOf(numberOf(crypto.getRandomValues(new Uint8Array(48))) % SCALAR_ORDER);
}
