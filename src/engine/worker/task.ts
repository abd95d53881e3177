/** What crosses between the main thread and a worker: plain data that structured cloning takes. */

/**
 * A key as a worker finds it. `source` is the handle of a key that the addon keeps for the whole process, or
 * shared bytes (a verifying key, or a seed) that each WASM instance prepares when it first sees `id`.
 */
export interface KeyReference {
  /** Unique within one engine. */
  readonly id: number;
  readonly source: number | SharedArrayBuffer;
}

/**
 * The right to work on a call task. The main thread writes `serial` into cell `ticket` of the shared claims; a worker
 * takes the task by exchanging it for its negative thread id. After a worker died the cell tells who had begun.
 */
export interface Claim {
  readonly ticket: number;
  readonly serial: number;
}

/** Functions other than the check of proofs, by name. */
export type CallName =
  | 'poseidon'
  | 'oneLeafRoot'
  | 'poseidon2'
  | 'hashBytes'
  | 'sign'
  | 'verifySignature'
  | 'publicKey'
  | 'prepareKey'
  | 'g1Multiples'
  | 'g2Multiples';

/** Several calls of one function, with what they have in common. */
export interface CallTask {
  readonly kind: 'call';
  readonly claim?: Claim;
  readonly call: CallName;
  readonly key?: KeyReference;
  /** State width of `poseidon2`. */
  readonly width?: number;
  /** Depth of the tree of `oneLeafRoot`. */
  readonly depth?: number;
  /** Domain tag of `hashBytes`. */
  readonly tag?: string;
  readonly items: readonly Uint8Array[];
}

/** Asks a worker to take batches of proofs from the board until none is left. */
export interface DrainTask {
  readonly kind: 'drain';
}

/** Asks a worker that has passed its self-test for its thread id. */
export interface PingTask {
  readonly kind: 'ping';
}

/** What piscina carries to a worker. */
export type Task = CallTask | DrainTask | PingTask;

/** Answer to one item of a `CallTask`. */
export type CallResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/**
 * Answer to a call task. A fault is a trap of WASM or a panic of the addon: nothing is known about any item.
 * `revoked`: the task had been taken back, nothing was touched.
 */
export type CallAnswer =
  | { readonly kind: 'done'; readonly results: readonly CallResult[] }
  | { readonly kind: 'fault'; readonly detail: string }
  | { readonly kind: 'revoked' };
