import { hashToField } from '../../semaphore/hashes.ts';
import { numberOf } from '../../semaphore/words.ts';
import { FormError, WORD_BYTES } from '../layout.ts';
import { type NumberForm, writeNumber } from '../numbers.ts';
import { membersOf } from './bytes-form.ts';

/** The members of a proof of Semaphore v4 besides its points; values are numbers, as its library writes them. */
export interface Semaphore4Statement {
  readonly merkleTreeRoot: NumberForm;
  readonly nullifier: NumberForm;
  readonly message: NumberForm;
  readonly scope: NumberForm;
}

/** The same of Semaphore v3 under its names. */
export interface Semaphore3Statement {
  readonly merkleTreeRoot: NumberForm;
  readonly nullifierHash: NumberForm;
  readonly signal: NumberForm;
  readonly externalNullifier: NumberForm;
}

/**
 * Builds the four public signals of a Semaphore proof: root, nullifier, and the hashes of message and scope (v4), or of
 * signal and external nullifier (v3): Keccak-256 of the number as 32 bytes, shifted right by 8 bits.
 *
 * @throws FormError `input.form`, `input.range`
 * @see semaphore-protocol/semaphore, packages/proof/src/verify-proof.ts and hash.ts
 */
export function semaphoreSignals(proof: Semaphore4Statement | Semaphore3Statement): bigint[] {
  const members = membersOf(proof, 'merkleTreeRoot, nullifier, message and scope');
  const [nullifier, message, scope] =
    members.nullifierHash === undefined
      ? (['nullifier', 'message', 'scope'] as const)
      : (['nullifierHash', 'signal', 'externalNullifier'] as const);
  const others = nullifier === 'nullifier' ? [] : [members.nullifier, members.message, members.scope];
  if (others.some((value) => value !== undefined))
    throw new FormError('input.form', '', 'ambiguous: it has members of Semaphore v4 and of v3');
  const word = (name: string): Uint8Array => wordOfMember(members[name], name);
  return [word('merkleTreeRoot'), word(nullifier), hashToField(word(message)), hashToField(word(scope))].map(
    numberOf,
  );
}

function wordOfMember(value: unknown, name: string): Uint8Array {
  const target = new Uint8Array(WORD_BYTES);
  writeNumber(value, target, name, { form: 'input.form', range: 'input.range' });
  return target;
}
