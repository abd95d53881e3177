import type { ErrorCode } from '../errors/index.ts';
import type { Identifier } from '../membership/trees.ts';
import type { Environment } from '../storage/index.ts';

const PROOF_BYTES = 256;
/** Bytes of one item for the engine: the proof, then root ‖ nullifier ‖ signal hash ‖ external nullifier. */
export const STATEMENT_BYTES = 384;
/** Where the words of a statement begin in its `inputs`. */
export const INPUT_AT = { root: 0, nullifier: 32, signalHash: 64, externalNullifier: 96 } as const;

/** What an item asks the engine about. */
export interface Statement {
  readonly code?: undefined;
  /** 256 bytes. */
  readonly proof: Uint8Array;
  /** 128 bytes: root ‖ nullifier ‖ signal hash ‖ external nullifier, which is written once the app is known. */
  readonly inputs: Uint8Array;
}

/** The word of an item that cannot be decoded: a row of the catalogue that has a `verifyItem` answer. */
export interface StatementFault {
  readonly code: ErrorCode;
}

/** One item of `responses`, its words decoded, defaults filled in. */
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

/** The statement in these 384 bytes, which it keeps. */
export function statementOf({ buffer, byteOffset }: Uint8Array): Statement {
  return {
    proof: new Uint8Array(buffer, byteOffset, PROOF_BYTES),
    inputs: new Uint8Array(buffer, byteOffset + PROOF_BYTES, STATEMENT_BYTES - PROOF_BYTES),
  };
}
