import type { CoreVerdict, EngineCore, EngineStats } from '../facade/engine-core.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';

/** Checks statements under one key as a batch; returns the verdicts in order. */
export type RunBatch<Key> = (key: Key, statements: readonly Uint8Array[]) => Promise<readonly CoreVerdict[]>;

/** Limits of a queue. */
export interface QueueLimits {
  /** Maximum number of waiting statements. */
  readonly maxQueue: number;
  /** Maximum number of statements in a batch. */
  readonly maxBatch: number;
  /** Maximum number of concurrent batches. */
  readonly inFlight: number;
}

interface Waiting {
  readonly statement: Uint8Array;
  readonly signal: AbortSignal | undefined;
  resolve(verdict: CoreVerdict): void;
  reject(error: unknown): void;
}

const CANCELLED: CoreVerdict = Object.freeze({ ok: false, code: 'engine.cancelled' });

/**
 * Waiting statements by key. Statements of one turn of the event loop are checked together, keys take turns, and the
 * event loop gets a turn before each batch.
 */
class BatchQueue<Key> {
  /** Numbers of statements that are waiting, being checked, and answered. */
  depth = 0;
  running = 0;
  verified = 0;
  readonly #run: RunBatch<Key>;
  readonly #limits: QueueLimits;
  readonly #waiting = new Map<Key, Waiting[]>();
  readonly #loops = new Set<Promise<void>>();

  constructor(run: RunBatch<Key>, limits: QueueLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  hasRoom(): boolean {
    return this.depth < this.#limits.maxQueue;
  }

  /** Queues a statement; rejects with `engine.busy` if the queue is full, or with the error of the batch. */
  add(key: Key, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict> {
    if (!this.hasRoom()) return Promise.reject(new ProofgateError('engine.busy', 'the queue is full'));
    return new Promise((resolve, reject) => {
      const waiting = { statement, signal, resolve, reject };
      const others = this.#waiting.get(key);
      if (others) others.push(waiting);
      else this.#waiting.set(key, [waiting]);
      this.depth += 1;
      this.#start();
    });
  }

  /** Resolves when every statement is answered. */
  async drained(): Promise<void> {
    while (this.#loops.size > 0) await Promise.all(this.#loops);
  }

  #start(): void {
    if (this.#loops.size >= this.#limits.inFlight) return;
    const loop = this.#loop().finally(() => this.#loops.delete(loop));
    this.#loops.add(loop);
  }

  async #loop(): Promise<void> {
    for (;;) {
      await nextTurn();
      const taken = this.#take();
      if (taken === undefined) return;
      await this.#answer(...taken);
    }
  }

  /** Takes the next batch; answers aborted statements. */
  #take(): [key: Key, batch: readonly Waiting[]] | undefined {
    for (const [key, waiting] of this.#waiting) {
      const live: Waiting[] = [];
      let count = 0;
      while (count < waiting.length && live.length < this.#limits.maxBatch) {
        const one = waiting[count] as Waiting;
        count += 1;
        if (one.signal?.aborted) one.resolve(CANCELLED);
        else live.push(one);
      }
      waiting.splice(0, count);
      this.depth -= count;
      this.#waiting.delete(key);
      // Queued behind the other keys.
      if (waiting.length > 0) this.#waiting.set(key, waiting);
      if (live.length > 0) return [key, live];
    }
    return undefined;
  }

  async #answer(key: Key, batch: readonly Waiting[]): Promise<void> {
    this.running += batch.length;
    try {
      const verdicts = await this.#run(
        key,
        batch.map(({ statement }) => statement),
      );
      for (const [index, one] of batch.entries()) one.resolve(verdicts[index] as CoreVerdict);
      this.verified += batch.length;
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      this.running -= batch.length;
    }
  }
}

declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const MessageChannel:
  | (new () => {
      readonly port1: { onmessage: (() => void) | null; close(): void };
      readonly port2: { postMessage(message: unknown): void };
    })
  | undefined;

/** Resolves in the next turn of the event loop, so that timers, input and frames come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // A port of a MessageChannel would keep Node, Deno and Bun alive, and timers of pages take 4 ms or more.
    if (typeof setImmediate === 'function') setImmediate(() => resolve());
    else if (typeof MessageChannel === 'function') {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else setTimeout(resolve, 0);
  });
}

/** Number of statements that `verifyMany` keeps in flight. */
const WINDOW = 256;

/** Base of the cores outside Node: the keys, and the queue of waiting statements. */
export abstract class QueuedCore<Key extends { readonly inputCount: number }> implements EngineCore {
  readonly window: number;
  protected readonly keys: Map<string, Key> = new Map();
  protected readonly queue: BatchQueue<Key>;

  constructor(limits: QueueLimits) {
    this.queue = new BatchQueue((key, statements) => this.check(key, statements), limits);
    this.window = Math.min(WINDOW, limits.maxQueue);
  }

  abstract addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void>;
  abstract stats(): EngineStats;
  abstract close(): Promise<void>;
  /** Checks a batch; returns the verdicts in the order of the statements. */
  protected abstract check(key: Key, statements: readonly Uint8Array[]): Promise<readonly CoreVerdict[]>;

  inputCount(keyId: string): number | undefined {
    return this.keys.get(keyId)?.inputCount;
  }

  hasRoom(): boolean {
    return this.queue.hasRoom();
  }

  verify(keyId: string, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict> {
    const key = this.keys.get(keyId);
    if (key === undefined)
      return Promise.reject(new ProofgateError('engine.key_unknown', 'no verifying key has this id'));
    return this.queue.add(key, statement, signal);
  }

  protected queueStats(): Pick<EngineStats, 'queueDepth' | 'running' | 'verified'> {
    const { depth, running, verified } = this.queue;
    return { queueDepth: depth, running, verified };
  }
}
