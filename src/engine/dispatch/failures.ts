import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { CallName } from '../operation.ts';

/**
 * Returns the catalogue code of a refusal of the core, whose codes for hashes and keys are finer than the
 * catalogue's.
 */
function catalogueCode(call: CallName, code: string): ErrorCode {
  if (code.startsWith('hash.') || (code === 'input.count' && call !== 'sign')) return 'hash.input';
  if (code === 'signing_key.unknown' || code === 'key.unknown') return 'engine.key_unknown';
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal.unforeseen';
}

/** Converts a refusal of the core to a service error. */
export function refusedCall(call: CallName, code: string, detail: string): ServiceError {
  const known = catalogueCode(call, code);
  return new ServiceError(known, known === code ? detail : `${code}: ${detail}`);
}

// A batch that lost its worker runs once more unchanged; after another loss its items run one by one.
const MAX_LOSSES = 2;

/** Items that run again, with the number of workers lost while running them. */
export interface Retry<I> {
  readonly items: I[];
  readonly losses: number;
}

/**
 * Returns the batches that run again after a batch has lost its worker: the whole batch once, then each of its items
 * alone, at most twice. Empty if the batch was a single item that ended its workers and is poison.
 *
 * @param losses - Workers that the batch had lost before this one.
 */
export function retriesAfterLoss<I>(items: readonly I[], losses: number): Retry<I>[] {
  if (losses + 1 < MAX_LOSSES) return [{ items: [...items], losses: losses + 1 }];
  return items.length === 1 ? [] : items.map((item) => ({ items: [item], losses: 0 }));
}
