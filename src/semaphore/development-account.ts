/**
 * The account of a person in World ID 4.0 for development, derived from their identity: the same in the wallet page and in
 * commands. Its hashes take the place of the outputs of the protocol that depend on an account and on keys of OPRF nodes.
 */

import { encodeUtf8, joinBytes } from '../bytes.ts';
import { hashToField } from './hashes.ts';
import { toHex } from './hex.ts';
import type { Identity } from './identity.ts';

/** Secret of an account: 32 bytes, a field element. It reveals neither trapdoor nor nullifier of the identity. */
export type AccountSecret = Uint8Array;

/** Derives the secret of the account of an identity. */
export function accountSecretOf({ trapdoor, nullifier }: Identity): AccountSecret {
  return hashOf('proofgate development account of World ID 4.0', trapdoor, nullifier);
}

/**
 * Returns the nullifier of an account.
 *
 * @param rpId - `rp_` and 16 hex digits.
 * @param action - Field element: hash of an action, or the random action of a session proof.
 */
export function accountNullifier(secret: AccountSecret, rpId: string, action: Uint8Array): Uint8Array {
  return hashOf(`proofgate development nullifier of ${rpId}`, secret, action);
}

/**
 * Returns the commitment of a session of an account, the first half of its id.
 *
 * @param seed - The second half.
 */
export function accountSession(secret: AccountSecret, rpId: string, seed: Uint8Array): Uint8Array {
  return hashOf(`proofgate development session of ${rpId}`, secret, seed);
}

/** Returns a nullifier in the form of answers. */
export function nullifierText(nullifier: Uint8Array): string {
  return `nil_${toHex(nullifier).slice(2)}`;
}

function hashOf(label: string, ...parts: readonly Uint8Array[]): Uint8Array {
  return hashToField(joinBytes([encodeUtf8(label), ...parts]));
}
