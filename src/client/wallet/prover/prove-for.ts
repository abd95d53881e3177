import type { DevelopmentTree } from '../../../pages.ts';
import { externalNullifier } from '../../../semaphore/hashes.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { StoredIdentity } from '../identity/identity-book.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { FinishedProof, ProofProgress } from './prover-protocol.ts';

/** Statement to prove. */
export interface Statement {
  readonly appId: string;
  /** Empty for a sign-in. */
  readonly action: string;
  /** 32 bytes. */
  readonly signalHash: Uint8Array;
}

/** A proof of membership and its tree. */
export interface TreeProof {
  readonly tree: DevelopmentTree;
  readonly proof: FinishedProof;
}

/**
 * Proves a statement for an identity, in the first of the trees that contains it.
 *
 * @returns undefined if none of the trees contains it.
 * @throws WalletError `network`, `answer`, `circuit`, `proof`
 */
export async function proveFor(
  { api, prover }: Pick<WalletParts, 'api' | 'prover'>,
  identity: StoredIdentity,
  trees: readonly DevelopmentTree[],
  { appId, action, signalHash }: Statement,
  report: (progress: ProofProgress) => void,
): Promise<TreeProof | undefined> {
  const { trapdoor, nullifier, commitment } = identity;
  for (const tree of trees) {
    const inclusion = await api.inclusionProof(tree, commitment);
    if (!inclusion) continue;
    const job = {
      identity: { trapdoor, nullifier },
      inclusion,
      signalHash: toHex(signalHash),
      externalNullifier: toHex(externalNullifier(appId, action)),
    };
    return { tree, proof: await prover.prove(job, report) };
  }
  return undefined;
}
