import type { Engine, ProofSource, VerdictReceiver } from '../engine/index.ts';
import { type ErrorCode, ServiceError } from '../errors/index.ts';
import type { CallWatch } from './call-watch.ts';
import { WORD_AT } from './request-types.ts';
import { type PreparedItem, type ReadyItem, verdictCode } from './verify-item.ts';

/** What the engine is asked with. */
export interface StatementRun {
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept'>;
  readonly source: ProofSource;
  readonly watch: CallWatch;
  /** Told of faults of ours that one item met. */
  readonly onFault: (fault: unknown) => void;
}

/** The catalogue row of an item, undefined where it verified. */
type Code = ErrorCode | undefined;

/**
 * Puts all ready items of a request into the queue in one turn of the event loop, identical ones once, or refuses.
 *
 * @returns The code of each item; nothing to wait for where the engine had not to be asked.
 * @throws ServiceError `engine.busy`, at once or by the promise; `verify.deadline` and `engine.cancelled` by the promise
 */
export function runStatements(
  items: readonly PreparedItem[],
  run: StatementRun,
): Promise<readonly Code[]> | readonly Code[] {
  const firsts = items.map((_item, index) => firstAlike(items, index));
  let asked = 0;
  for (const [index, item] of items.entries()) {
    if (item.code === undefined && firsts[index] === index) asked++;
    else if (item.code === 'engine.key_unknown') run.onFault(item.cause);
  }
  const codes: Code[] = items.map(({ code }) => code);
  if (asked === 0) return codes;
  if (!run.engine.canAccept(asked, run.source)) throw new ServiceError('engine.busy');
  const options = { source: run.source, signal: run.watch };
  return new Promise((resolve, reject) => {
    run.watch.onEnd(reject);
    let left = asked;
    const settle = (index: number, code: Code): void => {
      codes[index] = code;
      left--;
      if (left === 0) resolve(firsts.map((first) => codes[first]));
    };
    const receiver: VerdictReceiver = {
      verdict(index, verdict) {
        const code = verdictCode(verdict);
        // all of a request or nothing: one item without a place refuses the request
        if (code === 'engine.busy') reject(new ServiceError(code));
        else settle(index, code);
      },
      failed(index, fault) {
        run.onFault(fault);
        settle(index, 'internal.unforeseen');
      },
    };
    for (const [index, item] of items.entries()) {
      if (item.code !== undefined || firsts[index] !== index) continue;
      run.engine.verifyStatement(item.keyId, item.bytes, options, receiver, index);
    }
  });
}

/** The index of the first item that asks the same, which may be this one. */
function firstAlike(items: readonly PreparedItem[], index: number): number {
  const item = items[index] as PreparedItem;
  if (item.code !== undefined) return index;
  for (let before = 0; before < index; before++) {
    const other = items[before] as PreparedItem;
    if (other.code === undefined && isSame(item, other)) return before;
  }
  return index;
}

function isSame(one: ReadyItem, other: ReadyItem): boolean {
  return one.keyId === other.keyId && isEqual(one.bytes, other.bytes);
}

/** Looks at the nullifier first: all around it is mostly the same. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  const last = WORD_AT.signalHash - 1;
  if (one[last] !== other[last]) return false;
  for (let at = one.length - 1; at >= 0; at--) if (one[at] !== other[at]) return false;
  return true;
}
