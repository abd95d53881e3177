import { randomFillSync } from 'node:crypto';
import { type Backend, type CryptoFunctions, parseRefusal } from './backends/backend.ts';
import { OneLeafTree } from './one-leaf-tree.ts';
import { TaskSlots } from './slots.ts';
import type {
  CallName,
  CallResult,
  CallTask,
  Claim,
  KeyReference,
  Task,
  TaskAnswer,
  VerifyTask,
} from './task.ts';

const SEED_BYTES = 32;
const DONE: TaskAnswer = { kind: 'done' };
const REVOKED: TaskAnswer = { kind: 'revoked' };

type PerformCall = (performer: Performer, task: CallTask, item: Uint8Array) => Uint8Array;

const CALLS: Readonly<Record<CallName, PerformCall>> = {
  poseidon: ({ functions }, _task, item) => functions.poseidon(item),
  oneLeafRoot: ({ functions, oneLeafTree }, task, item) =>
    oneLeafTree.root(item, task.depth ?? 0, (inputs) => functions.poseidon(inputs)),
  poseidon2: ({ functions }, task, item) => functions.poseidon2(task.width ?? 0, item),
  hashBytes: ({ functions }, task, item) => functions.hashBytes(task.tag ?? '', item),
  sign: (performer, task, item) => performer.functions.sign(performer.signingHandle(task), item),
  publicKey: (performer, task) => performer.functions.publicKey(performer.signingHandle(task)),
  verifySignature: ({ functions }, _task, item) =>
    Uint8Array.of(
      functions.verifySignature(item.subarray(0, 32), item.subarray(32, 64), item.subarray(64)) ? 1 : 0,
    ),
  // The handle, 4 bytes big-endian: of use to others where the addon keeps keys for the whole process.
  prepareKey: (performer, task) => {
    const handle = new Uint8Array(4);
    new DataView(handle.buffer).setUint32(0, performer.verifyingHandle(task.key));
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

  /** Takes a task, unless it has been taken back, and does it. Never throws for what a backend does. */
  async perform(task: Task): Promise<TaskAnswer> {
    if (!this.#take(task.claim)) return REVOKED;
    if (this.#hasFaulted) await this.#backend.renew();
    if (this.#handlesOfInstance !== this.#backend.instance) {
      this.#handles.clear();
      this.#handlesOfInstance = this.#backend.instance;
    }
    this.#hasFaulted = false;
    try {
      return task.kind === 'verify' ? this.#verify(task) : this.#call(task);
    } catch (error) {
      this.#hasFaulted = true;
      return { kind: 'fault', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Handle of a verifying key in this thread's backend; prepared at first sight. */
  verifyingHandle(key: KeyReference | undefined): number {
    return this.#handle(key, (bytes) => this.functions.prepareKey(bytes));
  }

  /** Handle of a signing key in this thread's backend; derived at first sight, and the copy of the seed wiped. */
  signingHandle({ key }: CallTask): number {
    return this.#handle(key, (seed) => this.functions.createSigningKey(seed));
  }

  #handle(key: KeyReference | undefined, prepare: (bytes: Uint8Array) => number): number {
    if (!key) throw new TypeError('the task names no key');
    if (typeof key.source === 'number') return key.source;
    let handle = this.#handles.get(key.id);
    if (handle === undefined) {
      handle = prepare(new Uint8Array(key.source).slice());
      this.#handles.set(key.id, handle);
    }
    return handle;
  }

  #take(claim: Claim | undefined): boolean {
    if (!claim || !this.#claims) return true;
    const { ticket, serial } = claim;
    return Atomics.compareExchange(this.#claims, ticket, serial, -this.#threadId) === serial;
  }

  #verify({ key, chunks, slots, stride, inputCount }: VerifyTask): TaskAnswer {
    const handle = this.verifyingHandle(key);
    const taken = new TaskSlots(chunks, slots, stride, inputCount);
    taken.answer(this.functions.verifyBatch(handle, taken.batch, randomFillSync(this.#seed)));
    return DONE;
  }

  #call(task: CallTask): TaskAnswer {
    const call = CALLS[task.call];
    const results = task.items.map((item): CallResult => {
      try {
        return { ok: true, bytes: call(this, task, item) };
      } catch (error) {
        const refused = parseRefusal(error);
        if (!refused) throw error;
        return { ok: false, ...refused };
      }
    });
    return { kind: 'done', results };
  }
}
