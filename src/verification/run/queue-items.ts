import type { Engine, Verdict, VerdictReceiver, VerifyOptions } from '../../engine/index.ts';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { WORD_AT } from '../request/request-types.ts';
import type { RunSignal } from './run-signal.ts';
import { type PreparedItem, type ReadyItem, verdictCode } from './verify-item.ts';

/** Catalogue code of each item; undefined if its proof is valid. */
export type ItemCodes = readonly (ErrorCode | undefined)[];

/** Source and signal of a request: one object for all its proofs. */
export interface QueueOptions extends VerifyOptions {
  readonly signal: RunSignal;
}

/**
 * Queues the items that need a pairing, either all of them in this turn of the event loop or none, and
 * identical ones once.
 *
 * @param onFault - Receives internal errors of single items.
 * @returns A promise unless no item needs a pairing.
 * @throws ServiceError `engine.busy`, `verify.deadline`, `engine.cancelled`
 */
export function queueItems(
  engine: Pick<Engine, 'verifyStatement' | 'canAccept'>,
  items: readonly PreparedItem[],
  options: QueueOptions,
  onFault: (fault: unknown) => void,
): ItemCodes | Promise<ItemCodes> {
  const codes = items.map(({ code }) => code);
  const firsts = firstsOf(items);
  const queued = firsts.filter((first, index) => first === index && codes[index] === undefined).length;
  for (const item of items) if (item.code === 'engine.key_unknown') onFault(item.cause);
  if (queued === 0) return codes;
  if (!engine.canAccept(queued, options.source)) throw new ServiceError('engine.busy');
  const { signal } = options;
  return signal.wait((resolve) => {
    const verdicts = new Verdicts(codes, firsts, queued, { signal, onFault, resolve });
    for (let index = 0; index < items.length && !signal.aborted; index++) {
      const item = items[index] as PreparedItem;
      if (item.code !== undefined || firsts[index] !== index) continue;
      engine.verifyStatement(item.keyId, item.bytes, options, verdicts, index);
    }
  });
}

/** Collects the verdicts of one request; the only object that the engine calls back. */
class Verdicts implements VerdictReceiver {
  readonly #codes: (ErrorCode | undefined)[];
  readonly #firsts: readonly number[];
  readonly #to: VerdictsTo;
  #left: number;

  /** @param codes - Codes of the items that are not queued; the others are filled in. */
  constructor(codes: (ErrorCode | undefined)[], firsts: readonly number[], queued: number, to: VerdictsTo) {
    this.#codes = codes;
    this.#firsts = firsts;
    this.#left = queued;
    this.#to = to;
  }

  verdict(index: number, verdict: Verdict): void {
    const code = verdictCode(verdict);
    // A request is admitted as a whole: if one item finds no room, the request is refused.
    if (code === 'engine.busy') this.#to.signal.abort(new ServiceError(code));
    else this.#settle(index, code);
  }

  failed(index: number, fault: unknown): void {
    this.#to.onFault(fault);
    this.#settle(index, 'internal.unforeseen');
  }

  #settle(index: number, code: ErrorCode | undefined): void {
    this.#codes[index] = code;
    this.#left--;
    if (this.#left === 0) this.#to.resolve(this.#firsts.map((first) => this.#codes[first]));
  }
}

interface VerdictsTo {
  readonly signal: RunSignal;
  readonly onFault: (fault: unknown) => void;
  readonly resolve: (codes: ItemCodes) => void;
}

/** Returns for each item the index of the first identical one, which may be its own. */
function firstsOf(items: readonly PreparedItem[]): readonly number[] {
  return items.map((item, index) => {
    if (item.code !== undefined) return index;
    return items.findIndex((other) => other.code === undefined && isSame(item, other));
  });
}

function isSame(one: ReadyItem, other: ReadyItem): boolean {
  return one === other || (one.keyId === other.keyId && isEqual(one.bytes, other.bytes));
}

/** Compares the last byte of the nullifier first: most of the other words are usually equal. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  const last = WORD_AT.signalHash - 1;
  if (one[last] !== other[last]) return false;
  for (let at = one.length - 1; at >= 0; at--) if (one[at] !== other[at]) return false;
  return true;
}
