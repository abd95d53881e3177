import type { Item, Lane, WorkRefusal } from '../../../src/engine/queue.ts';
import type { CallResult, CallTask } from '../../../src/engine/task.ts';

/** An item whose answer is a text. */
export interface PlainItem extends Item {
  readonly lane: PlainLane;
  readonly value: number;
}

/** A lane whose items are numbers, and that remembers what became of each. */
export class PlainLane implements Lane<PlainItem> {
  readonly waiting: Set<PlainItem> = new Set();
  readonly isMeasured = true;
  readonly name: string;
  readonly answers: Map<number, string> = new Map();

  constructor(name: string) {
    this.name = name;
  }

  item(value: number, queuedAtMs: number = performance.now()): PlainItem {
    return { lane: this, value, queuedAtMs };
  }

  toTask(items: readonly PlainItem[]): CallTask {
    return {
      kind: 'call',
      call: 'poseidon',
      tag: this.name,
      items: items.map(({ value }) => Uint8Array.of(value)),
    };
  }

  settle(items: readonly PlainItem[], results: readonly CallResult[] | undefined): PlainItem[] {
    return items.filter(({ value }, index) => {
      const result = results?.[index];
      if (result) this.#answer(value, result.ok ? `done ${result.bytes[0]}` : result.code);
      return result === undefined;
    });
  }

  refuse({ value }: PlainItem, code: WorkRefusal): void {
    this.#answer(value, code);
  }

  #answer(value: number, answer: string): void {
    if (this.answers.has(value)) throw new Error(`${value} was answered twice`);
    this.answers.set(value, answer);
  }
}
