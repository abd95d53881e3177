import type { ErrorCode } from '../../errors/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Identifier } from '../../membership/roots/trees.ts';
import type { Environment, Tree } from '../../storage/index.ts';
import type { VerifyRequest4 } from '../worldid4/request4-types.ts';

/** Bytes of one item for the engine: the proof, then root ‖ nullifier ‖ signal hash ‖ external nullifier. */
export const STATEMENT_BYTES = 384;
/** Offsets of the words of a statement in bytes; the proof is before them. */
export const WORD_AT = { root: 256, nullifier: 288, signalHash: 320, externalNullifier: 352 } as const;

/** The statement of an item that the engine checks. */
export interface Statement {
  readonly code?: undefined;
  /** Proof ‖ public inputs; those that depend on the app are written once it is known. */
  readonly bytes: Uint8Array;
}

/** Catalogue code of an item with a word that cannot be decoded; its row has an answer for items. */
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

/** One item of a 3.0 request. */
export interface RequestItem extends ItemBase {
  readonly identifier: Identifier;
  readonly maxAgeSeconds: number;
}

/** Kind of the proofs of a request. */
export type ProofKind = 'uniqueness' | 'session';

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

/** A 3.0 request that fits the schema. The nonce is not kept: a 3.0 proof does not bind it. */
export interface VerifyRequest3 extends RequestBase {
  readonly protocol: '3.0';
  readonly kind: 'uniqueness';
  readonly sessionId?: undefined;
  readonly items: readonly RequestItem[];
}

/** A request that fits the schema of its protocol version. */
export type VerifyRequest = VerifyRequest3 | VerifyRequest4;
