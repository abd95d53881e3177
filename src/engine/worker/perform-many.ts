import { type CryptoFunctions, parseRefusal } from '../backends/backend.ts';
import type { CallName, CallResult } from '../operation.ts';
import type { TakenBatch, TakenCalls } from '../slots/worker-slots.ts';
import type { OneLeafTree } from './one-leaf-tree.ts';

const WORD_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** What calls need of the thread that performs them. */
export interface CallContext {
  readonly functions: CryptoFunctions;
  readonly oneLeafTree: OneLeafTree;
  /** Returns the handle of the verifying key of a batch in the thread's backend. */
  verifyingHandle(batch: TakenBatch): number;
  /** Returns the handle of the signing key of these calls in the thread's backend. */
  signingHandle(calls: TakenCalls): number;
}

/** A function of the core that takes many items of one length in one call. */
interface ManyCall {
  /** Bytes of an item; items of another length run one by one. */
  itemBytes(calls: TakenCalls, first: Uint8Array): number;
  resultBytes(calls: TakenCalls): number;
  run(context: CallContext, calls: TakenCalls, itemBytes: number): Uint8Array;
}

const MANY: { readonly [Name in CallName]?: ManyCall } = {
  poseidon2: {
    itemBytes: ({ parameter }) => parameter * WORD_BYTES,
    resultBytes: ({ parameter }) => parameter * WORD_BYTES,
    run: ({ functions }, { parameter, bytes }) => functions.poseidon2(parameter, bytes),
  },
  poseidon: {
    itemBytes: (_calls, first) => first.length,
    resultBytes: () => WORD_BYTES,
    run: ({ functions }, { bytes }, itemBytes) => functions.poseidonMany(itemBytes / WORD_BYTES, bytes),
  },
  oneLeafRoot: {
    itemBytes: () => WORD_BYTES,
    resultBytes: () => WORD_BYTES,
    run: ({ functions, oneLeafTree }, { parameter, bytes }) =>
      oneLeafTree.roots(bytes, parameter, (pairs) => functions.poseidonMany(2, pairs)),
  },
  sign: {
    itemBytes: () => WORD_BYTES,
    resultBytes: () => SIGNATURE_BYTES,
    run: (context, calls) => context.functions.sign(context.signingHandle(calls), calls.bytes),
  },
};

/**
 * Runs a batch of calls as one call into the core, which processes the items in SIMD lanes.
 *
 * @returns Undefined if they must run one by one: a single item, a function that takes one item only, items
 *   of different lengths, or a refusal, which must not reach the other items.
 */
export function performMany(context: CallContext, calls: TakenCalls): CallResult[] | undefined {
  const many = MANY[calls.operation];
  const [first] = calls.items;
  if (!many || !first || calls.items.length === 1) return undefined;
  const itemBytes = many.itemBytes(calls, first);
  if (itemBytes % WORD_BYTES !== 0 || calls.items.some(({ length }) => length !== itemBytes))
    return undefined;
  try {
    const results = many.run(context, calls, itemBytes);
    const resultBytes = many.resultBytes(calls);
    return calls.items.map((_, index) => ({
      ok: true,
      bytes: results.subarray(index * resultBytes, (index + 1) * resultBytes),
    }));
  } catch (error) {
    if (parseRefusal(error)) return undefined;
    throw error;
  }
}
