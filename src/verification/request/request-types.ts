import type { Identifier } from '../../membership/roots/trees.ts';
import type { VerifyRequest4 } from '../worldid4/request4-types.ts';
import type { ItemBase, RequestBase } from './request-base.ts';

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
