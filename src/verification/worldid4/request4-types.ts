import type { IssuerList } from '../../config/values/issuer-list.ts';
import type { Environment } from '../../storage/index.ts';
import type { ItemBase, RequestBase } from '../request/request-base.ts';
import type { PROTOCOL_VERSION_4 } from '../request/request-schema.ts';

/**
 * Offsets in bytes of the public inputs of a World ID 4.0 statement (spec/worldid4.md#public-inputs), after the 256
 * bytes of the proof.
 */
export const INPUT_AT = {
  nullifier: 256,
  issuerSchemaId: 288,
  issuerX: 320,
  issuerY: 352,
  expiresAtMin: 384,
  genesisIssuedAtMin: 416,
  root: 448,
  depth: 480,
  rpId: 512,
  action: 544,
  oprfX: 576,
  oprfY: 608,
  signalHash: 640,
  nonce: 672,
  sessionCommitment: 704,
} as const;
/** Bytes of a statement: a proof and 15 public inputs. */
export const STATEMENT4_BYTES = 736;

/** One item of a 4.0 request. */
export interface RequestItem4 extends ItemBase {
  /** A number below 2^64 in decimal digits. */
  readonly issuerSchemaId: string;
  /** Seconds since the epoch. */
  readonly expiresAtMin: number;
}

/** A 4.0 request that fits the schema. The nonce is in the statements of its items. */
export interface VerifyRequest4 extends RequestBase {
  readonly protocol: typeof PROTOCOL_VERSION_4;
  /** As sent; undefined for uniqueness proofs. */
  readonly sessionId: string | undefined;
  readonly items: readonly RequestItem4[];
}

/** Credential issuers that count, by environment. */
export type IssuerLists = Readonly<Record<Environment, IssuerList>>;
