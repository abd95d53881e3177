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

/** Parts of the external nullifier of a holder proof. */
export interface RefreshScope {
  /** `refresh.externalNullifier` of the service that the proof is for. */
  readonly text: string;
  /** 32 bytes, if the service requires a challenge. */
  readonly challenge?: Uint8Array;
}

/** Statement of a proof that the prover is the holder of an idCommitment, for one `sub`. */
export interface HolderStatement extends MembershipStatement {
  /** 32 bytes, the identity commitment. */
  readonly idCommitment: Uint8Array;
  /** 32 bytes, the signal of the proof. */
  readonly sub: Uint8Array;
  /** Pre-image of the external nullifier, in the form that the header has. */
  readonly preImage: string;
}

/**
 * Builds the statement of an authentication proof (spec/credential.md#authentication-proof): membership in a
 * tree whose only leaf is the holder's own commitment.
 *
 * @param sub - 32 bytes, big-endian, above 0 and below the scalar order r.
 */
export async function holderStatement(
  identity: Identity,
  sub: Uint8Array,
  { text, challenge }: RefreshScope,
  poseidon: Poseidon,
): Promise<HolderStatement> {
  const idCommitment = await commitmentOf(identity, poseidon);
  const bytes = Buffer.concat([Buffer.from(text), challenge ?? new Uint8Array(0)]);
  return {
    identity,
    idCommitment,
    sub,
    inclusion: await oneLeafProof(idCommitment, poseidon),
    signalHash: hashToField(sub),
    externalNullifier: hashToField(bytes),
    preImage: challenge === undefined ? text : toHex(bytes),
  };
}

/** Encodes the header `x-zkp-proof` (spec/refresh.md#proof-header): standard base64 of a JSON object. */
export function refreshHeader(
  { idCommitment, sub, preImage }: Pick<HolderStatement, 'idCommitment' | 'sub' | 'preImage'>,
  { proof, inputs }: MembershipProof,
): string {
  const members = {
    proof: toHex(proof),
    nullifierHash: toHex(inputs.subarray(32, 64)),
    externalNullifier: preImage,
    idCommitment: toHex(idCommitment),
    sub: toHex(sub),
  };
  return Buffer.from(JSON.stringify(members)).toString('base64');
}
