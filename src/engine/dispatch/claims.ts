import type { Claim } from '../worker/task.ts';

const CELLS = 1024;
const LAST_SERIAL = 0x7fff_ffff;

/** The main thread's side of the claims: which task was taken by which thread (`Claim` in task.ts). */
export class Claims {
  readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
  readonly #cells = new Int32Array(this.buffer);
  readonly #free = Array.from({ length: CELLS }, (_, ticket) => ticket);
  #serial = 0;

  /** A claim for a new task, or undefined when more tasks run than there are cells. */
  issue(): Claim | undefined {
    const ticket = this.#free.pop();
    if (ticket === undefined) return undefined;
    this.#serial = (this.#serial % LAST_SERIAL) + 1;
    Atomics.store(this.#cells, ticket, this.#serial);
    return { ticket, serial: this.#serial };
  }

  /**
   * Takes a task back that has no answer. Gives the id of the thread that had begun it; undefined when none had, and
   * then none can begin it any more.
   */
  revoke({ ticket, serial }: Claim): number | undefined {
    const found = Atomics.compareExchange(this.#cells, ticket, serial, 0);
    return found < 0 ? -found : undefined;
  }

  /** Makes the cell free for another task. */
  giveBack({ ticket }: Claim): void {
    Atomics.store(this.#cells, ticket, 0);
    this.#free.push(ticket);
  }
}
