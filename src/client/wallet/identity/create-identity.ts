import { identityFromSecret, randomIdentity, toHex } from '../../../semaphore/index.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { storedIdentity } from './identities.ts';

/**
 * Creates an identity, stores it and selects it.
 *
 * @param label - Empty for a numbered label.
 * @param secret - Text that the identity is derived from; if absent, it is random.
 * @returns Whether the identity is new to this browser.
 * @throws WalletError `circuit`, `storage`
 */
export async function createIdentity(
  { book, prover }: Pick<WalletParts, 'book' | 'prover'>,
  label: string,
  secret?: string,
): Promise<boolean> {
  const identity = secret === undefined ? randomIdentity() : identityFromSecret(secret);
  const { trapdoor, nullifier } = identity;
  const commitment = await prover.commitment({ trapdoor: toHex(trapdoor), nullifier: toHex(nullifier) });
  const isNew = book.identities.every((known) => known.commitment !== commitment);
  book.add(
    storedIdentity(label || nextLabel(book.identities.map((known) => known.label)), identity, commitment),
  );
  return isNew;
}

function nextLabel(taken: readonly string[]): string {
  let number = taken.length + 1;
  while (taken.includes(`Identity ${number}`)) number++;
  return `Identity ${number}`;
}
