import type { Costs } from './costs.ts';
import { type Machine, Thread } from './machine.ts';
import type { Database } from './shard.ts';

interface Group {
  readonly rows: number;
  readonly done: () => void;
}

/** The thread that writes to the embedded store: it commits all groups that wait, of all front ends, together. */
export class DatabaseThread implements Database {
  readonly connections = 1;
  readonly #thread: Thread;
  readonly #costs: Costs;
  #waiting: Group[] = [];
  #isCommitting = false;
  #commits = 0;
  #rows = 0;

  constructor(machine: Machine, costs: Costs) {
    this.#thread = new Thread(machine);
    this.#costs = costs;
  }

  /** Commits and rows so far. */
  get committed(): { readonly commits: number; readonly rows: number } {
    return { commits: this.#commits, rows: this.#rows };
  }

  /** Processor time so far, in µs. */
  get busyUs(): number {
    return this.#thread.busyUs;
  }

  /** Commits a group, with those that wait when the thread comes to it. */
  commit(rows: number, done: () => void): void {
    this.#waiting.push({ rows, done });
    if (!this.#isCommitting) this.#commitAll();
  }

  #commitAll(): void {
    const groups = this.#waiting;
    this.#isCommitting = groups.length > 0;
    if (!this.#isCommitting) return;
    this.#waiting = [];
    const rows = groups.reduce((sum, group) => sum + group.rows, 0);
    this.#thread.add(this.#costs.groupUs(rows), () => {
      this.#commits++;
      this.#rows += rows;
      for (const { done } of groups) done();
      this.#commitAll();
    });
  }
}
