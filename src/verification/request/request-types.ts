import type { ErrorCode } from '../../errors/index.ts';
import type { Identifier } from '../../membership/roots/trees.ts';
import type { Environment } from '../../storage/index.ts';

/** Bytes of one item for the engine: the proof, then root ‖ nullifier ‖ signal hash ‖ external nullifier. */
export const STATEMENT_BYTES = 384;
/** Offsets of the words of a statement in bytes; the proof is before them. */
export const WORD_AT = { root: 256, nullifier: 288, signalHash: 320, externalNullifier: 352 } as const;

/** The statement of an item that the engine checks. */
export interface Statement {
  readonly code?: undefined;
  /** 384 bytes: proof ‖ root ‖ nullifier ‖ signal hash ‖ external nullifier, which is written once the app is known. */
  readonly bytes: Uint8Array;
}

/** Catalogue code of an item with a word that cannot be decoded; its row has a `verifyItem` answer. */
export interface StatementFault {
  readonly code: ErrorCode;
}

/** One item of `responses`, with decoded words and defaults. */
export interface RequestItem {
  readonly identifier: Identifier;
  /** As sent. */
  readonly nullifier: string;
  readonly maxAgeSeconds: number;
  readonly statement: Statement | StatementFault;
}

/** A request that fits the schema. The nonce is not kept: a 3.0 proof does not bind it. */
export interface VerifyRequest {
  readonly action: string;
  readonly actionDescription: string;
  readonly environment: Environment;
  readonly items: readonly RequestItem[];
  /** Whether the body had an `integrity_bundle`, which is ignored and counted. */
  readonly hasIntegrityBundle: boolean;
}
