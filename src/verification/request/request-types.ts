import type { IssuerList } from '../../config/values/issuer-list.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { JsonObject } from '../../json.ts';
import type { Identifier } from '../../membership/roots/trees.ts';
import type { ProofKind } from '../../membership/worldid4/proofs4.ts';
import type { Environment, Tree } from '../../storage/values.ts';
import type { PROTOCOL_VERSION_4 } from './request-schema.ts';

/** The statement of an item that the engine checks. */
export interface Statement {
  readonly code?: undefined;
  /** Proof ‖ public inputs; inputs that depend on the app are written once the app is known. */
  readonly bytes: Uint8Array;
}

/** Catalogue code of an item with a word that cannot be decoded; its row in the catalogue has an item answer. */
export interface StatementFault {
  readonly code: ErrorCode;
  /** Text of the answer where the row has none. */
  readonly detail?: string;
}

/** One item of `responses` in any protocol version, with decoded words. */
export interface ItemBase {
  readonly identifier: string;
  /** The tree of its root. */
  readonly tree: Tree;
  /** As sent. */
  readonly nullifier: string;
  readonly statement: Statement | StatementFault;
}

/** Members of a request in any protocol version. */
export interface RequestBase {
  readonly kind: ProofKind;
  /** Empty for session proofs. */
  readonly action: string;
  readonly actionDescription: string;
  readonly environment: Environment;
  readonly items: readonly ItemBase[];
  /** The parsed body if it has an `integrity_bundle`. */
  readonly bundledBody: JsonObject | undefined;
}

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
  /** The same as sent, a number or its digits. */
  readonly sentIssuer: number | string;
  /** Seconds since the epoch. */
  readonly expiresAtMin: number;
}

/** A 4.0 request that fits the schema. The nonce is in the statements of its items. */
export interface VerifyRequest4 extends RequestBase {
  readonly protocol: typeof PROTOCOL_VERSION_4;
  /** As sent; undefined for proofs of uniqueness that are not bound to a session. */
  readonly sessionId: string | undefined;
  readonly items: readonly RequestItem4[];
}

/** Accepted credential issuers, by environment. */
export type IssuerLists = Readonly<Record<Environment, IssuerList>>;

/** Bytes of one item for the engine: the proof, then root ‖ nullifier ‖ signal hash ‖ external nullifier. */
export const STATEMENT_BYTES = 384;
/** Offsets of the words of a statement in bytes; the proof is before them. */
export const WORD_AT = { root: 256, nullifier: 288, signalHash: 320, externalNullifier: 352 } as const;

/** One item of a 3.0 request. */
export interface RequestItem extends ItemBase {
  readonly identifier: Identifier;
  readonly maxAgeSeconds: number;
}

/** A 3.0 request that fits the schema. The nonce is not kept: a 3.0 proof does not bind it. */
export interface VerifyRequest3 extends RequestBase {
  readonly protocol: '3.0';
  readonly kind: 'uniqueness';
  readonly sessionId?: undefined;
  readonly items: readonly RequestItem[];
}

/** A request that fits the schema of its protocol version. */
export type VerifyRequest = VerifyRequest3 | VerifyRequest4;
