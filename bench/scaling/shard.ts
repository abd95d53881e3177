import type { Clock } from './clock.ts';
import type { Costs } from './costs.ts';
import { type Machine, Thread } from './machine.ts';

/** What nodes commit to. */
export interface Database {
  readonly committed: { readonly commits: number; readonly rows: number };
  readonly busyUs: number;
  /** Most connections that were busy at the same time. */
  readonly connections: number;
  commit(rows: number, done: () => void): void;
}

/** A PostgreSQL that holds the nullifiers of one range of hashes. */
export class Shard implements Database {
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #costs: Costs;
  readonly #idle: Thread[] = [];
  readonly #backends: Thread[] = [];
  #commits = 0;
  #rows = 0;

  constructor(clock: Clock, machine: Machine, costs: Costs) {
    this.#clock = clock;
    this.#machine = machine;
    this.#costs = costs;
  }

  /** Groups and rows that were committed so far. */
  get committed(): { readonly commits: number; readonly rows: number } {
    return { commits: this.#commits, rows: this.#rows };
  }

  /** Processor time of all backends so far, in µs. */
  get busyUs(): number {
    return this.#backends.reduce((sum, { busyUs }) => sum + busyUs, 0);
  }

  /** Most connections that were busy at the same time. */
  get connections(): number {
    return this.#backends.length;
  }

  /**
   * Commits a group in a backend of its own. Log and standby are waited for without a processor; waits of several groups
   * overlap, because the server flushes the log of all waiting commits at once.
   */
  commit(rows: number, done: () => void): void {
    const backend = this.#idle.pop() ?? this.#newBackend();
    backend.add(this.#costs.groupUs(rows), () => {
      this.#clock.after(this.#costs.commitWaitUs, () => {
        this.#idle.push(backend);
        this.#commits++;
        this.#rows += rows;
        done();
      });
    });
  }

  #newBackend(): Thread {
    const backend = new Thread(this.#machine);
    this.#backends.push(backend);
    return backend;
  }
}
