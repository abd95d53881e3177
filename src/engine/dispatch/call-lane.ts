import { ERRORS, type ErrorCode, ServiceError } from '../../errors/index.ts';
import { Fifo } from '../queue/fifo.ts';
import type { WorkRefusal } from '../queue/work.ts';
import type { CallName, CallResult, CallTask } from '../worker/task.ts';

/** A call that waits or runs. */
export interface CallItem {
  readonly lane: CallLane;
  readonly bytes: Uint8Array;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: ServiceError) => void;
}

/** What the calls of one lane have in common. */
export type CallHead = Pick<CallTask, 'call' | 'key' | 'width' | 'depth' | 'tag'>;

/** The catalogue code of a refusal of the core. Its hashes and keys have finer codes than the service. */
function catalogueCode(call: CallName, code: string): ErrorCode {
  if (code.startsWith('hash.') || (code === 'input.count' && call !== 'sign')) return 'hash.input';
  if (code === 'signing_key.unknown' || code === 'key.unknown') return 'engine.key_unknown';
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal.unforeseen';
}

/** The error that a refusal of the core becomes. */
function refusedCall(call: CallName, code: string, detail: string): ServiceError {
  const known = catalogueCode(call, code);
  return new ServiceError(known, known === code ? detail : `${code}: ${detail}`);
}

/** Calls of one function with one key, width, depth or tag. */
export class CallLane {
  readonly waiting: Fifo<CallItem> = new Fifo();
  /** Text for logs. */
  readonly name: string;
  readonly #head: CallHead;

  constructor(head: CallHead) {
    this.name = head.call;
    this.#head = head;
  }

  /** @param bytes - Copied: the caller may change his afterwards. */
  item(bytes: Uint8Array, resolve: CallItem['resolve'], reject: CallItem['reject']): CallItem {
    return { lane: this, bytes: new Uint8Array(bytes), resolve, reject };
  }

  toTask(items: readonly CallItem[]): CallTask {
    return { kind: 'call', ...this.#head, items: items.map(({ bytes }) => bytes) };
  }

  /** Answers the calls of a finished task; gives back those that the task left without an answer. */
  settle(items: readonly CallItem[], results: readonly CallResult[]): CallItem[] {
    return items.filter((item, index) => {
      const result = results[index];
      if (result?.ok) item.resolve(result.bytes);
      else if (result) item.reject(refusedCall(this.#head.call, result.code, result.detail));
      return result === undefined;
    });
  }

  refuse(item: CallItem, code: WorkRefusal): void {
    item.reject(new ServiceError(code));
  }
}
