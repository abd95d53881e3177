import type { Engine, Verdict, VerifyOptions } from '../engine/index.ts';
import { type ErrorCode, ServiceError } from '../errors/index.ts';
import { type PreparedItem, type ReadyItem, verdictCode } from './verify-item.ts';

/** What the engine is asked with. */
export interface StatementRun {
  readonly engine: Pick<Engine, 'verify' | 'canAccept'>;
  readonly options: VerifyOptions;
  /** Told of faults of ours that one item met. */
  readonly onFault: (fault: unknown) => void;
}

/** The catalogue row of an item, undefined where it verified. */
type Code = ErrorCode | undefined;

/**
 * Puts all ready items of a request into the queue in one turn of the event loop, identical ones once, or refuses.
 *
 * @returns The code of each item; nothing to wait for where the engine had not to be asked.
 * @throws ServiceError `engine.busy`, at once or by the promise
 */
export function runStatements(
  items: readonly PreparedItem[],
  run: StatementRun,
): Promise<readonly Code[]> | readonly Code[] {
  const twins = items.map((item, index) => (item.code === undefined ? firstTwin(items, index) : index));
  const asked = items.filter((item, index) => item.code === undefined && twins[index] === index).length;
  if (asked > 0 && !run.engine.canAccept(asked, run.options.source)) throw new ServiceError('engine.busy');
  const onFailed = (fault: unknown): ErrorCode => {
    run.onFault(fault);
    return 'internal.unforeseen';
  };
  const answers: (Promise<Code> | Code)[] = [];
  items.forEach((item, index) => {
    if (item.code !== undefined) {
      if (item.code === 'engine.key_unknown') run.onFault(item.cause);
      answers.push(item.code);
    } else if (twins[index] === index) {
      const { keyId, proof, inputs } = item;
      answers.push(run.engine.verify(keyId, proof, inputs, run.options).then(codeOfVerdict, onFailed));
    } else answers.push(answers[twins[index] as number]);
  });
  if (asked === 0) return answers as readonly Code[];
  const [only] = answers;
  return answers.length === 1 ? (only as Promise<Code>).then((code) => [code]) : Promise.all(answers);
}

function codeOfVerdict(verdict: Verdict): Code {
  const code = verdictCode(verdict);
  // all of a request or nothing: one item without a place refuses the request
  if (code === 'engine.busy') throw new ServiceError('engine.busy');
  return code;
}

/** The first ready item that asks the same. */
function firstTwin(items: readonly PreparedItem[], index: number): number {
  const item = items[index] as ReadyItem;
  for (let before = 0; before < index; before++) {
    const other = items[before] as PreparedItem;
    if (other.code === undefined && isSame(item, other)) return before;
  }
  return index;
}

function isSame(one: ReadyItem, other: ReadyItem): boolean {
  return one.keyId === other.keyId && isEqual(one.inputs, other.inputs) && isEqual(one.proof, other.proof);
}

/** From the end: the beginning of what is compared here is the root, which is the same for all. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  // ends with the external nullifier, which is the same too, so that the word before it comes first
  const middle = one.length - 33;
  if (one[middle] !== other[middle]) return false;
  for (let at = one.length - 1; at >= 0; at--) if (one[at] !== other[at]) return false;
  return true;
}
