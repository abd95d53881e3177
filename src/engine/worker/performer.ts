import { randomFillSync } from 'node:crypto';
import { messageOf } from '../../text.ts';
import { type Backend, type CryptoFunctions, parseRefusal } from '../backends/backend.ts';
import type { CallName, CallResult } from '../operation.ts';
import type { TakenBatch, TakenCalls, TakenProofs, WorkerSlots } from '../slots/worker-slots.ts';
import { OneLeafTree } from './one-leaf-tree.ts';

const WORD_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Services of a thread for the calls that it performs. */
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
 * @returns Undefined if they must run one by one: for a single item, a function of one item, items of different
 *   lengths, or a refusal, which must not affect the other items.
 */
function performMany(context: CallContext, calls: TakenCalls): CallResult[] | undefined {
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

const SEED_BYTES = 32;

type PerformCall = (context: CallContext, calls: TakenCalls, item: Uint8Array) => Uint8Array;

const CALLS: Readonly<Record<CallName, PerformCall>> = {
  poseidon: ({ functions }, _calls, item) => functions.poseidon(item),
  oneLeafRoot: ({ functions, oneLeafTree }, { parameter }, item) =>
    oneLeafTree.roots(item, parameter, (pairs) => functions.poseidonMany(2, pairs)),
  poseidon2: ({ functions }, { parameter }, item) => functions.poseidon2(parameter, item),
  hashBytes: ({ functions }, { tag }, item) => functions.hashBytes(tag, item),
  sign: (context, calls, item) => context.functions.sign(context.signingHandle(calls), item),
  publicKey: (context, calls) => context.functions.publicKey(context.signingHandle(calls)),
  verifySignature: ({ functions }, _calls, item) =>
    Uint8Array.of(
      functions.verifySignature(item.subarray(0, 32), item.subarray(32, 64), item.subarray(64)) ? 1 : 0,
    ),
  keyFaults: ({ functions }, _calls, item) => Buffer.from(functions.keyFaults(item)),
  g1Multiples: ({ functions }, _calls, item) => functions.g1Multiples(item),
  g2Multiples: ({ functions }, _calls, item) => functions.g2Multiples(item),
  // The handle, 4 bytes, big-endian. Other threads can use it if the backend is the addon, whose keys are
  // process-wide.
  prepareKey: (context, calls) => {
    const handle = new Uint8Array(4);
    new DataView(handle.buffer).setUint32(0, context.verifyingHandle(calls));
    return handle;
  },
};

/** Performs the batches of one thread: every batch is synchronous calls into that thread's backend. */
export class Performer implements CallContext {
  readonly #backend: Backend;
  /** Handles of the keys that this thread has prepared, by key id. */
  readonly #handles = new Map<number, number>();
  /** Its empty nodes are computed once per thread. */
  readonly oneLeafTree: OneLeafTree = new OneLeafTree();
  /** Seed of the random linear combination; drawn anew for each batch, after the batch is fixed. */
  readonly #seed = new Uint8Array(SEED_BYTES);
  #handlesOfInstance: number;
  #hasFaulted = false;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#handlesOfInstance = backend.instance;
  }

  get functions(): CryptoFunctions {
    return this.#backend.functions;
  }

  /**
   * Performs a batch and writes its results to its slot. Must be called only when `recover` returns
   * undefined. An error of the backend does not throw but marks the slot as faulty.
   */
  perform(taken: TakenBatch, slots: WorkerSlots): void {
    const beganAtMs = performance.now();
    try {
      if (taken.operation === 'verify') {
        const verdicts = this.#verify(taken);
        slots.answerProofs(taken, verdicts, performance.now() - beganAtMs);
      } else {
        const results = performMany(this, taken) ?? this.#performEach(taken);
        slots.answerCalls(taken, results, performance.now() - beganAtMs);
      }
    } catch (error) {
      this.#hasFaulted = true;
      slots.fail(taken, messageOf(error));
    }
  }

  /** Renews the backend after a fault; returns undefined if there is nothing to do. */
  recover(): Promise<void> | undefined {
    return this.#hasFaulted ? this.#renew() : undefined;
  }

  /** Returns the handle of a verifying key in this thread's backend; prepares the key on first use. */
  verifyingHandle({ keyId, key }: TakenBatch): number {
    return typeof key === 'number' ? key : this.#handle(keyId, () => this.functions.prepareKey(key.slice()));
  }

  /**
   * Returns the handle of a signing key in this thread's backend; derives it on first use, and wipes the copy
   * of the seed.
   */
  signingHandle({ keyId, key }: TakenCalls): number {
    return typeof key === 'number'
      ? key
      : this.#handle(keyId, () => this.functions.createSigningKey(key.slice()));
  }

  #verify(taken: TakenProofs): Uint8Array {
    const handle = this.verifyingHandle(taken);
    const { statements, separately } = taken;
    return separately
      ? this.functions.verifyEach(handle, statements)
      : this.functions.verifyBatch(handle, statements, randomFillSync(this.#seed));
  }

  #performEach(calls: TakenCalls): CallResult[] {
    const call = CALLS[calls.operation];
    return calls.items.map((item): CallResult => {
      try {
        return { ok: true, bytes: call(this, calls, item) };
      } catch (error) {
        const refused = parseRefusal(error);
        if (!refused) throw error;
        return { ok: false, ...refused };
      }
    });
  }

  #handle(id: number, prepare: () => number): number {
    let handle = this.#handles.get(id);
    if (handle === undefined) {
      handle = prepare();
      this.#handles.set(id, handle);
    }
    return handle;
  }

  async #renew(): Promise<void> {
    await this.#backend.renew();
    this.#hasFaulted = false;
    if (this.#handlesOfInstance === this.#backend.instance) return;
    this.#handles.clear();
    this.#handlesOfInstance = this.#backend.instance;
  }
}
