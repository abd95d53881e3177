import type { Engine, Refusal, Verdict, VerdictReceiver, VerifyOptions } from '../../engine/engine.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Signal that fires when the client of a call disconnects; the part of `AbortSignal` that is used. */
export interface ClientSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** Timer of one call. */
export interface CallTimer {
  /** Calls back once when the time has passed, unless the call has its response by then. */
  startDeadline(milliseconds: number, onPassed: () => void): void;
}

/**
 * Ends the waits of one run at its deadline or when its client disconnects
 * (`spec/verification.md#deadline-and-cancellation`). The engine skips a queued proof once `aborted` is set.
 */
export class RunSignal {
  aborted = false;
  #reason: unknown;
  #reject: ((reason: unknown) => void) | undefined;
  #isStopped = false;

  /**
   * Starts the deadline and watches the client.
   *
   * @throws ServiceError `engine.cancelled` if the client has already disconnected
   */
  start(client: ClientSignal, timer: CallTimer, deadlineMs: number): void {
    if (client.aborted) throw clientDisconnected();
    client.addEventListener('abort', () => {
      if (!this.#isStopped) this.abort(clientDisconnected());
    });
    timer.startDeadline(deadlineMs, () => {
      if (!this.#isStopped) this.abort(new ServiceError('verify.deadline'));
    });
  }

  /** Waits for a promise; throws as `wait`. */
  waitFor<T>(work: Promise<T>): Promise<T> {
    return this.wait((resolve, reject) => void work.then(resolve, reject));
  }

  /**
   * Waits until the work that `begin` starts resolves or rejects.
   *
   * @throws The reason of the abort, if that is first.
   */
  wait<T>(begin: (resolve: (value: T) => void, reject: (fault: unknown) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.aborted) reject(this.#reason);
      begin(resolve, reject);
    });
  }

  /** Ends the run and its wait; later calls have no effect. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#reason = reason;
    this.aborted = true;
    this.stop();
    this.#reject?.(reason);
  }

  /** Detaches the run from deadline and client; neither can abort it any more. */
  stop(): void {
    this.#isStopped = true;
  }
}

function clientDisconnected(): ServiceError {
  return new ServiceError('engine.cancelled', 'the client has disconnected');
}

/** Catalogue code of each item; undefined if its proof is valid. */
export type ItemCodes = readonly (ErrorCode | undefined)[];

/** A statement for the engine, or the code of an item that needs no pairing. */
export type QueuedItem =
  | { readonly code: ErrorCode; readonly cause?: unknown }
  | { readonly code?: undefined; readonly keyId: string; readonly bytes: Uint8Array };

type ReadyItem = Extract<QueuedItem, { code?: undefined }>;

/** Source and signal of a request: one object for all its proofs. */
export interface QueueOptions extends VerifyOptions {
  readonly signal: RunSignal;
  readonly requestId: string;
}

/** Dependencies of `queueItems`. */
export interface QueueParts {
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept'>;
  /** Receives internal errors of single items. */
  readonly onFault: (fault: unknown, requestId: string) => void;
}

/**
 * Queues the items that need a pairing: all of them in this turn of the event loop or none. Identical items are queued
 * once.
 *
 * @param firsts - For each item the index of the first identical one, whose verdict is used for both.
 * @throws ServiceError `engine.busy`, `verify.deadline`, `engine.cancelled`
 */
export function queueItems(
  { engine, onFault }: QueueParts,
  items: readonly QueuedItem[],
  options: QueueOptions,
  firsts: readonly number[] = firstsOf(items),
): Promise<ItemCodes> {
  for (const item of items) {
    if (item.code === 'engine.key_unknown') onFault(item.cause, options.requestId);
  }
  const verdicts = new Verdicts(items, firsts, options, onFault);
  if (verdicts.missing === 0) return Promise.resolve(verdicts.codes);
  if (!engine.canAccept(verdicts.missing, options.source)) throw new ServiceError('engine.busy');
  const { signal } = options;
  return signal.wait((resolve) => {
    verdicts.onComplete = resolve;
    for (let index = 0; index < items.length && !signal.aborted; index++) {
      const item = items[index] as QueuedItem;
      if (item.code === undefined && verdicts.firsts[index] === index) {
        engine.verifyStatement(item.keyId, item.bytes, options, verdicts, index);
      }
    }
  });
}

/** Collects the verdicts of one request; the only object that the engine calls back. */
class Verdicts implements VerdictReceiver {
  /** Codes of the items that need no pairing; the others are added with their verdicts. */
  readonly codes: (ErrorCode | undefined)[];
  readonly firsts: readonly number[];
  /** Number of verdicts that are missing. */
  missing = 0;
  onComplete: (codes: ItemCodes) => void = () => {};
  readonly #options: QueueOptions;
  readonly #onFault: QueueParts['onFault'];

  constructor(
    items: readonly QueuedItem[],
    firsts: readonly number[],
    options: QueueOptions,
    onFault: QueueParts['onFault'],
  ) {
    this.codes = items.map(({ code }) => code);
    this.firsts = firsts;
    this.#options = options;
    this.#onFault = onFault;
    for (let index = 0; index < items.length; index++) {
      if (this.codes[index] === undefined && this.firsts[index] === index) this.missing++;
    }
  }

  verdict(index: number, verdict: Verdict): void {
    const code = verdictCode(verdict);
    // A request is admitted as a whole: if the queue has no room for one item, the request is refused.
    if (code === 'engine.busy') this.#options.signal.abort(new ServiceError(code));
    else this.#settle(index, code);
  }

  failed(index: number, fault: unknown): void {
    this.#onFault(fault, this.#options.requestId);
    this.#settle(index, 'internal.unforeseen');
  }

  #settle(index: number, code: ErrorCode | undefined): void {
    this.codes[index] = code;
    this.missing--;
    if (this.missing === 0) this.onComplete(this.firsts.map((first) => this.codes[first]));
  }
}

/** Returns for each item the index of the first identical one, which may be its own. */
function firstsOf(items: readonly QueuedItem[]): readonly number[] {
  return items.map((item, index) => {
    if (item.code !== undefined) return index;
    return items.findIndex((other) => other.code === undefined && isSame(item, other));
  });
}

function isSame(one: ReadyItem, other: ReadyItem): boolean {
  return one === other || (one.keyId === other.keyId && isEqual(one.bytes, other.bytes));
}

/** Compares from the start: different proofs nearly always differ in their first bytes. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return one.length === other.length;
}

/** Returns the catalogue code of a verdict, or undefined if the proof is valid. */
export function verdictCode(verdict: Verdict): Refusal | 'proof.false' | undefined {
  if (verdict.ok) return undefined;
  return verdict.code ?? 'proof.false';
}
