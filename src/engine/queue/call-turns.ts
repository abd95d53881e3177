import type { CallOperation } from '../operation.ts';
import { callRoomBytes } from '../slots/slot-layout.ts';
import { type CallBatch, type CallItem, CallQueue } from './work-queues.ts';

/**
 * Waiting calls, in one queue for each operation with its key, width, depth and tag. Queues take turns; no
 * call waits for a batch to fill. A queue exists only while calls wait in it.
 */
export class CallTurns {
  /** By name, the next in turn first. */
  readonly #queues = new Map<string, CallQueue>();
  #depth = 0;

  /** Number of waiting calls. */
  get depth(): number {
    return this.#depth;
  }

  add(operation: CallOperation, item: CallItem): void {
    const { call, key, width, depth, tag } = operation;
    const name = [call, key?.id, width, depth, tag].join('/');
    let queue = this.#queues.get(name);
    if (!queue) {
      queue = new CallQueue(name, operation);
      this.#queues.set(name, queue);
    }
    queue.waiting.push(item);
    this.#depth += 1;
  }

  /**
   * Takes the batch that is next in turn, if any call is waiting.
   *
   * @param maxBatch - Maximum number of calls in the batch.
   * @param maxBytes - Bytes available to the batch; each call needs `callRoomBytes`, and one call always fits.
   */
  take(maxBatch: number, maxBytes: number): CallBatch | undefined {
    for (const queue of this.#queues.values()) {
      const items = this.#takeItems(queue, maxBatch, maxBytes);
      if (queue.waiting.size > 0) {
        this.#queues.delete(queue.name);
        this.#queues.set(queue.name, queue);
      }
      return { kind: 'calls', queue, items };
    }
    return undefined;
  }

  /** Takes more calls for a batch that no worker has begun, within its space; limits as for `take`. */
  takeMore({ queue: { name }, items }: CallBatch, maxBatch: number, maxBytes: number): CallItem[] {
    const queue = this.#queues.get(name);
    if (!queue) return [];
    const usedBytes = items.reduce((sum, { bytes }) => sum + callRoomBytes(bytes.length), 0);
    return this.#takeItems(queue, maxBatch - items.length, maxBytes - usedBytes);
  }

  #takeItems(queue: CallQueue, limit: number, maxBytes: number): CallItem[] {
    const items: CallItem[] = [];
    let roomBytes = 0;
    for (let next = queue.waiting.first; next && items.length < limit; next = queue.waiting.first) {
      roomBytes += callRoomBytes(next.bytes.length);
      if (roomBytes > maxBytes) break;
      items.push(next);
      queue.waiting.shift();
    }
    if (queue.waiting.size === 0) this.#queues.delete(queue.name);
    this.#depth -= items.length;
    return items;
  }
}
