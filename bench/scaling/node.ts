import type { Costs } from './costs.ts';
import { type Machine, Thread } from './machine.ts';
import type { Database } from './shard.ts';

/** `engine.maxQueue`, `engine.maxBatch`, `storage.groupMaxRows`, `storage.poolSize` and the groups in flight of a store. */
export interface NodeLimits {
  readonly maxQueue: number;
  readonly maxBatch: number;
  readonly groupMaxRows: number;
  readonly groupsInFlight: number;
  readonly poolSize: number;
}

/** Defaults of the product. */
export const NODE_LIMITS: NodeLimits = {
  maxQueue: 1024,
  maxBatch: 256,
  groupMaxRows: 512,
  groupsInFlight: 2,
  poolSize: 10,
};

/** Shares of the main thread's time per request: reading it, handling its verdict, answering it. */
const MAIN_SHARES = { read: 0.6, verdict: 0.2, answer: 0.2 };

/** End of a request: answered, or refused because the engine's queue is full. */
export type Ended = (isServed: boolean) => void;

interface Waiting {
  readonly shard: number;
  readonly ended: Ended;
}

/** A node: one main thread, workers that check proofs in batches, and group commits, one series for each shard. */
export class Node {
  readonly main: Thread;
  readonly workers: readonly Thread[];
  readonly #costs: Costs;
  readonly #limits: NodeLimits;
  readonly #shards: readonly Database[];
  readonly #idleWorkers: Thread[];
  readonly #proofs: Waiting[] = [];
  readonly #rows: Ended[][];
  readonly #inFlight: number[];
  readonly #isForming: boolean[];
  #freeConnections: number;

  constructor(
    machine: Machine,
    costs: Costs,
    workers: number,
    shards: readonly Database[],
    limits: NodeLimits,
  ) {
    this.main = new Thread(machine, costs.mainStartUs);
    this.workers = Array.from({ length: workers }, () => new Thread(machine, costs.workerStartUs));
    this.#idleWorkers = [...this.workers];
    this.#costs = costs;
    this.#limits = limits;
    this.#shards = shards;
    this.#rows = shards.map(() => []);
    this.#inFlight = shards.map(() => 0);
    this.#isForming = shards.map(() => false);
    this.#freeConnections = limits.poolSize;
  }

  /** Serves a request with one proof, whose nullifier belongs to a shard. */
  request(shard: number, ended: Ended): void {
    this.main.add(MAIN_SHARES.read * this.#costs.mainRequestUs, () => {
      if (this.#proofs.length >= this.#limits.maxQueue) {
        ended(false);
        return;
      }
      this.#proofs.push({ shard, ended });
      this.#giveWork();
    });
  }

  #giveWork(): void {
    const worker = this.#proofs.length > 0 ? this.#idleWorkers.pop() : undefined;
    if (worker === undefined) return;
    const batch = this.#proofs.splice(0, this.#limits.maxBatch);
    worker.add(this.#costs.batchUs(batch.length), () => {
      this.#idleWorkers.push(worker);
      // An idle worker takes all that waits, without the main thread.
      this.#giveWork();
      for (const { shard, ended } of batch) {
        this.main.add(MAIN_SHARES.verdict * this.#costs.mainRequestUs, () => {
          this.#rows[shard]?.push(ended);
          this.#formGroup(shard);
        });
      }
    });
  }

  /** Forms a group if there are rows and fewer than `groupsInFlight` are committed. */
  #formGroup(shard: number): void {
    const rows = this.#rows[shard] as Ended[];
    if (rows.length === 0 || this.#isForming[shard]) return;
    if ((this.#inFlight[shard] as number) >= this.#limits.groupsInFlight || this.#freeConnections === 0)
      return;
    this.#isForming[shard] = true;
    this.#inFlight[shard] = (this.#inFlight[shard] as number) + 1;
    this.#freeConnections--;
    this.main.add(this.#costs.mainGroupUs, () => {
      this.#isForming[shard] = false;
      const group = rows.splice(0, this.#limits.groupMaxRows);
      this.#formGroup(shard);
      this.#shards[shard]?.commit(group.length, () => this.#committed(shard, group));
    });
  }

  #committed(shard: number, group: readonly Ended[]): void {
    this.#inFlight[shard] = (this.#inFlight[shard] as number) - 1;
    this.#freeConnections++;
    for (const ended of group) {
      this.main.add(MAIN_SHARES.answer * this.#costs.mainRequestUs, () => ended(true));
    }
    // A free connection may be what another shard waits for.
    for (let offset = 0; offset < this.#shards.length; offset++) {
      this.#formGroup((shard + offset) % this.#shards.length);
    }
  }
}
