import { hashToField } from '../../../src/semaphore/hashes.ts';
import { be32, fromBe } from '../../../test/support/crypto/bn254.ts';
import { compressProof } from '../../support/compress-proof.ts';
import { nullifierStream } from '../../support/proof-stream.ts';
import { completeRequest, hex, withLastBitFlipped } from './verify-requests.ts';

/** A point of BabyJubJub. */
export interface PublicKey {
  readonly x: bigint;
  readonly y: bigint;
}

/** Common parts of the World ID 4.0 requests of a run. */
export interface WorldId4Template {
  readonly host: string;
  readonly path: string;
  readonly rpId: string;
  readonly action: string;
  readonly identifier: string;
  readonly issuer: PublicKey & { readonly id: bigint };
  readonly oprfKey: PublicKey;
  readonly root: bigint;
  readonly signalHash: bigint;
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly expiresAtMin: bigint;
}

const TREE_DEPTH = 30n;
const RP_ID_PREFIX = 'rp_';

/** Points of one item of all requests before those of the next item, far more than a run has requests. */
const POINTS_OF_ITEM = 2 ** 44;

/** Public inputs of a uniqueness proof (spec/worldid4.md#public-inputs). */
function inputsOf(template: WorldId4Template, signalHash: bigint): (nullifier: bigint) => bigint[] {
  const { issuer, oprfKey, expiresAtMin, root, rpId, action, nonce } = template;
  const actionField = fromBe(hashToField(Buffer.from(action)));
  return (nullifier) => [
    nullifier,
    issuer.id,
    issuer.x,
    issuer.y,
    expiresAtMin,
    0n,
    root,
    TREE_DEPTH,
    BigInt(`0x${rpId.slice(RP_ID_PREFIX.length)}`),
    actionField,
    oprfKey.x,
    oprfKey.y,
    signalHash,
    nonce,
    0n,
  ];
}

/**
 * Builds `count` complete requests with `proofs` proofs each. The proofs of a request have one nullifier, as those of one
 * World ID must, and distinct signals; all proofs have distinct points, so that no cache serves one.
 *
 * @param first - Running number of the first request; runs on one database must use disjoint ranges.
 * @param isFalse - Whether to make well-formed proofs that are invalid.
 */
export async function worldId4Requests(
  template: WorldId4Template,
  count: number,
  proofs: number,
  first: number,
  isFalse = false,
): Promise<Uint8Array[]> {
  const { action, identifier, issuer, root, nonce, expiresAtMin } = template;
  const items = await Promise.all(
    Array.from({ length: proofs }, async (_, index) => {
      const signalHash = template.signalHash + BigInt(index);
      const firstPoint = first + index * POINTS_OF_ITEM;
      const next = await nullifierStream(inputsOf(template, signalHash), first, firstPoint);
      return (): string => {
        const { proof, nullifier } = next();
        return JSON.stringify({
          identifier,
          issuer_schema_id: Number(issuer.id),
          nullifier: hex(isFalse ? withLastBitFlipped(nullifier) : nullifier),
          expires_at_min: Number(expiresAtMin),
          signal_hash: hex(be32(signalHash)),
          proof: [...compressProof(proof), be32(root)].map(hex),
        });
      };
    }),
  );
  return Array.from({ length: count }, () => {
    const responses = items.map((item) => item()).join(',');
    const body = `{"protocol_version":"4.0","nonce":"${hex(be32(nonce))}","action":${JSON.stringify(action)},"responses":[${responses}]}`;
    return completeRequest(template, body);
  });
}
