import { ServiceError } from '../../errors/service-error.ts';
import type { SqlValue, Statement } from './driver.ts';
import { placeholderOrder } from './placeholder-order.ts';

/**
 * Checks the values of a statement and returns them for the engine: exactly as many as there are
 * placeholders, each of a type that both engines accept. Bytes are copied, so that later changes by the
 * caller have no effect and no larger underlying buffer is kept.
 *
 * libsql ends the process on a boolean, and silently takes a missing, `undefined` or `NaN` value as NULL; it
 * cuts text at U+0000 and rounds whole numbers beyond 2^53. All of these are refused here.
 *
 * @throws ServiceError `store.failed` for a statement with a gap in its placeholders, `store.invalid_value`
 */
export function bind(statement: Statement): SqlValue[] {
  checkValues(statement);
  return statement.params.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value));
}

/**
 * Makes the checks of `bind`, for values that are copied elsewhere.
 *
 * @throws ServiceError `store.failed` for a statement with a gap in its placeholders, `store.invalid_value`
 */
export function checkValues({ sql, params }: Statement): void {
  const order = placeholderOrder(sql);
  if (order === undefined) {
    throw new ServiceError('store.failed', `placeholders must be $1 to $n without a gap: ${sql}`);
  }
  const expected = order.length;
  if (params.length !== expected) {
    throw new ServiceError(
      'store.invalid_value',
      `expected ${expected} values, got ${params.length}: ${sql}`,
    );
  }
  for (let index = 0; index < expected; index++) {
    const fault = valueFault(params[index]);
    if (fault !== undefined) {
      throw new ServiceError('store.invalid_value', `value $${index + 1} ${fault}: ${sql}`);
    }
  }
}

/** Returns why a value cannot be bound, to follow its name in a message; undefined if it can. */
export function valueFault(value: unknown): string | undefined {
  if (value === null || value instanceof Uint8Array) return undefined;
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) return 'is text with U+0000';
      return isWellFormed(value) ? undefined : 'is text with an unpaired surrogate';
    case 'number':
      if (!Number.isFinite(value)) return 'is not a finite number';
      return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'is beyond 2^53' : undefined;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? undefined : 'is beyond 2^53';
    default:
      return `must be text, a number, bytes or null, got ${typeof value}`;
  }
}

/** Whether text has no unpaired surrogate; free for text that V8 stores as one byte per character. */
function isWellFormed(text: string): boolean {
  // Node has this method since version 20, TypeScript's library only since ES2024.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
