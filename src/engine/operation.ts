/**
 * Operations of a worker: the check of proofs, and calls. The index of a name is its code in a slot
 * (`slots/slot-layout.ts`).
 */
export const OPERATION_NAMES = [
  'verify',
  'poseidon',
  'oneLeafRoot',
  'poseidon2',
  'hashBytes',
  'sign',
  'verifySignature',
  'publicKey',
  'prepareKey',
  'keyFaults',
  'g1Multiples',
  'g2Multiples',
] as const;

/** Name of an operation. */
export type OperationName = (typeof OPERATION_NAMES)[number];

/** Name of an operation other than the check of proofs. */
export type CallName = Exclude<OperationName, 'verify'>;

/**
 * A key as workers refer to it. `source` is the handle of a key that the addon keeps for the whole process, or the
 * bytes (a verifying key, or a seed) that each WASM instance prepares on first use of `id`.
 */
export interface KeyReference {
  /** Unique within one engine, from 1. */
  readonly id: number;
  readonly source: number | Uint8Array;
}

/** Operation and parameters that the calls of one batch share. */
export interface CallOperation {
  readonly call: CallName;
  readonly key?: KeyReference;
  /** State width of `poseidon2`, in elements. */
  readonly width?: number;
  /** Depth of the tree of `oneLeafRoot`. */
  readonly depth?: number;
  /** Domain tag of `hashBytes`. */
  readonly tag?: string;
}

/** Result of one call; `code` and `detail` are those of the core. */
export type CallResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: string; readonly detail: string };
