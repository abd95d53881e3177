import { callRoomBytes } from '../slots/slot-layout.ts';
import type { CallBatch, CallItem, CallQueue } from './work-queues.ts';

/** The calls that wait. Queues take turns; a call waits for no company. */
export class CallTurns {
  /** Queues with waiting calls, the next in turn first. */
  readonly #turns = new Set<CallQueue>();
  #depth = 0;

  /** Calls that wait. */
  get depth(): number {
    return this.#depth;
  }

  add(queue: CallQueue, item: CallItem): void {
    queue.waiting.push(item);
    this.#turns.add(queue);
    this.#depth += 1;
  }

  /**
   * Takes the batch that is next in turn, if any call waits.
   *
   * @param maxBatch - Most calls of the batch.
   * @param maxBytes - Room of the batch; each call needs what `callRoomBytes` says, and one always fits.
   */
  take(maxBatch: number, maxBytes: number): CallBatch | undefined {
    for (const queue of this.#turns) {
      const items: CallItem[] = [];
      let roomBytes = 0;
      for (let next = queue.waiting.first; next && items.length < maxBatch; next = queue.waiting.first) {
        roomBytes += callRoomBytes(next.bytes.length);
        if (roomBytes > maxBytes) break;
        items.push(next);
        queue.waiting.shift();
      }
      this.#turns.delete(queue);
      if (queue.waiting.size > 0) this.#turns.add(queue);
      this.#depth -= items.length;
      return { kind: 'calls', queue, items };
    }
    return undefined;
  }
}
