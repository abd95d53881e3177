import {
  commitmentOf,
  hashToField,
  type Identity,
  type MembershipStatement,
  oneLeafProof,
  type Poseidon,
  toHex,
} from '../semaphore/index.ts';
import type { MembershipProof } from './prove.ts';

/** Pre-image of the external nullifier of a refresh, `refresh.externalNullifier`, as text. */
export const REFRESH_EXTERNAL_NULLIFIER = 'proofgate-refresh';

/** A proof that its maker is the holder of an idCommitment, for one `sub`. */
export interface HolderStatement extends MembershipStatement {
  /** 32 bytes, the public name of the identity. */
  readonly idCommitment: Uint8Array;
  /** 32 bytes, the signal of the proof. */
  readonly sub: Uint8Array;
}

/**
 * The statement of an authentication proof (credential.md section 11): the only leaf of a tree is one's own.
 *
 * @param sub - 32 bytes, big-endian, above 0 and below the scalar order r.
 */
export async function holderStatement(
  identity: Identity,
  sub: Uint8Array,
  poseidon: Poseidon,
): Promise<HolderStatement> {
  const idCommitment = await commitmentOf(identity, poseidon);
  return {
    identity,
    idCommitment,
    sub,
    inclusion: await oneLeafProof(idCommitment, poseidon),
    signalHash: hashToField(sub),
    externalNullifier: hashToField(Buffer.from(REFRESH_EXTERNAL_NULLIFIER)),
  };
}

/** The value of the header `x-zkp-proof` (refresh.md section 4): standard base64 of a JSON object. */
export function refreshHeader(
  { idCommitment, sub }: Pick<HolderStatement, 'idCommitment' | 'sub'>,
  { proof, inputs }: MembershipProof,
): string {
  const members = {
    proof: toHex(proof),
    nullifierHash: toHex(inputs.subarray(32, 64)),
    externalNullifier: REFRESH_EXTERNAL_NULLIFIER,
    idCommitment: toHex(idCommitment),
    sub: toHex(sub),
  };
  return Buffer.from(JSON.stringify(members)).toString('base64');
}
