import { randomFillSync } from 'node:crypto';
import { type Backend, type CryptoFunctions, parseRefusal } from '../backends/backend.ts';
import type { BoardThread, TakenBatch } from '../slots/worker-slots.ts';
import { OneLeafTree } from './one-leaf-tree.ts';
import { performMany } from './perform-many.ts';
import type { CallAnswer, CallName, CallResult, CallTask, Claim, KeyReference } from './task.ts';

const SEED_BYTES = 32;
const REVOKED: CallAnswer = { kind: 'revoked' };

type PerformCall = (performer: Performer, task: CallTask, item: Uint8Array) => Uint8Array;

const CALLS: Readonly<Record<CallName, PerformCall>> = {
  poseidon: ({ functions }, _task, item) => functions.poseidon(item),
  oneLeafRoot: ({ functions, oneLeafTree }, task, item) =>
    oneLeafTree.roots(item, task.depth ?? 0, (pairs) => functions.poseidonMany(2, pairs)),
  poseidon2: ({ functions }, task, item) => functions.poseidon2(task.width ?? 0, item),
  hashBytes: ({ functions }, task, item) => functions.hashBytes(task.tag ?? '', item),
  sign: (performer, task, item) => performer.functions.sign(performer.signingHandle(task), item),
  publicKey: (performer, task) => performer.functions.publicKey(performer.signingHandle(task)),
  verifySignature: ({ functions }, _task, item) =>
    Uint8Array.of(
      functions.verifySignature(item.subarray(0, 32), item.subarray(32, 64), item.subarray(64)) ? 1 : 0,
    ),
  g1Multiples: ({ functions }, _task, item) => functions.g1Multiples(item),
  g2Multiples: ({ functions }, _task, item) => functions.g2Multiples(item),
  // The handle, 4 bytes big-endian: of use to others where the addon keeps keys for the whole process.
  prepareKey: (performer, task) => {
    const handle = new Uint8Array(4);
    new DataView(handle.buffer).setUint32(0, performer.verifyingHandle(task));
    return handle;
  },
};

/** Does the tasks of one thread: every task is synchronous calls into that thread's backend. */
export class Performer {
  readonly #backend: Backend;
  readonly #claims: Int32Array | undefined;
  readonly #threadId: number;
  readonly #handles = new Map<number, number>();
  /** Its empty nodes are computed once a thread. */
  readonly oneLeafTree: OneLeafTree = new OneLeafTree();
  /** Of the random linear combination; drawn anew when a batch is fixed. */
  readonly #seed = new Uint8Array(SEED_BYTES);
  #handlesOfInstance: number;
  #hasFaulted = false;

  /** @param claims - Cells that tell the main thread who took which task; absent where no thread can die alone. */
  constructor(backend: Backend, claims?: Int32Array, threadId = 0) {
    this.#backend = backend;
    this.#claims = claims;
    this.#threadId = threadId;
    this.#handlesOfInstance = backend.instance;
  }

  get functions(): CryptoFunctions {
    return this.#backend.functions;
  }

  /** Takes a call task, unless it has been taken back, and does it. Never throws for what a backend does. */
  async perform(task: CallTask): Promise<CallAnswer> {
    if (!this.#take(task.claim)) return REVOKED;
    await this.recover();
    try {
      return { kind: 'done', results: this.#call(task) };
    } catch (error) {
      return { kind: 'fault', detail: this.#fault(error) };
    }
  }

  /**
   * Checks a batch from the board and leaves its verdicts there. To be called when `recover` has nothing to wait for;
   * never throws for what a backend does.
   */
  verify(taken: TakenBatch, board: BoardThread): void {
    const beganAtMs = performance.now();
    try {
      const { keyId, key, batch, singly } = taken;
      const handle =
        typeof key === 'number' ? key : this.#handle(keyId, () => this.functions.prepareKey(key));
      const verdicts = singly
        ? this.functions.verifyEach(handle, batch)
        : this.functions.verifyBatch(handle, batch, randomFillSync(this.#seed));
      board.answer(taken, verdicts, performance.now() - beganAtMs);
    } catch (error) {
      board.fail(taken, this.#fault(error));
    }
  }

  /** What a fault left half done is thrown away; undefined when there is nothing to do. */
  recover(): Promise<void> | undefined {
    if (this.#hasFaulted) return this.#renew();
    return undefined;
  }

  /** Handle of a verifying key in this thread's backend; prepared at first sight. */
  verifyingHandle({ key }: CallTask): number {
    return this.#handleOf(key, (bytes) => this.functions.prepareKey(bytes));
  }

  /** Handle of a signing key in this thread's backend; derived at first sight, and the copy of the seed wiped. */
  signingHandle({ key }: CallTask): number {
    return this.#handleOf(key, (seed) => this.functions.createSigningKey(seed));
  }

  #handleOf(key: KeyReference | undefined, prepare: (bytes: Uint8Array) => number): number {
    if (!key) throw new TypeError('the task names no key');
    const { id, source } = key;
    return typeof source === 'number'
      ? source
      : this.#handle(id, () => prepare(new Uint8Array(source).slice()));
  }

  #handle(id: number, prepare: () => number): number {
    let handle = this.#handles.get(id);
    if (handle === undefined) {
      handle = prepare();
      this.#handles.set(id, handle);
    }
    return handle;
  }

  #fault(error: unknown): string {
    this.#hasFaulted = true;
    return error instanceof Error ? error.message : String(error);
  }

  async #renew(): Promise<void> {
    await this.#backend.renew();
    this.#hasFaulted = false;
    if (this.#handlesOfInstance === this.#backend.instance) return;
    this.#handles.clear();
    this.#handlesOfInstance = this.#backend.instance;
  }

  #take(claim: Claim | undefined): boolean {
    if (!claim || !this.#claims) return true;
    const { ticket, serial } = claim;
    return Atomics.compareExchange(this.#claims, ticket, serial, -this.#threadId) === serial;
  }

  #call(task: CallTask): CallResult[] {
    const many = performMany(this, task);
    if (many) return many;
    const call = CALLS[task.call];
    return task.items.map((item): CallResult => {
      try {
        return { ok: true, bytes: call(this, task, item) };
      } catch (error) {
        const refused = parseRefusal(error);
        if (!refused) throw error;
        return { ok: false, ...refused };
      }
    });
  }
}
