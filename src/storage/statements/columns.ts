import { ServiceError } from '../../errors/index.ts';
import type { SqlValue } from '../drivers/driver.ts';

/** A text column. */
export function textColumn(value: SqlValue | undefined): string {
  if (typeof value === 'string') return value;
  throw unexpected('text', value);
}

/** A nullable text column. */
export function optionalTextColumn(value: SqlValue | undefined): string | null {
  return value === null ? null : textColumn(value);
}

/** A bigint column; values stay below 2^53. */
export function integerColumn(value: SqlValue | undefined): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw unexpected('a whole number below 2^53', value);
}

/** A nullable bigint column. */
export function optionalIntegerColumn(value: SqlValue | undefined): number | null {
  return value === null ? null : integerColumn(value);
}

/** A bytea column. */
export function bytesColumn(value: SqlValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw unexpected('bytes', value);
}

/** A nullable bytea column. */
export function optionalBytesColumn(value: SqlValue | undefined): Uint8Array | null {
  return value === null ? null : bytesColumn(value);
}

/** A text column that holds one of a few words. */
export function wordColumn<W extends string>(words: readonly W[], value: SqlValue | undefined): W {
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  throw unexpected(`one of ${words.join(', ')}`, value);
}

function unexpected(expected: string, value: SqlValue | undefined): ServiceError {
  const got = value === null ? 'null' : typeof value;
  return new ServiceError('store.failed', `a column of the store: expected ${expected}, got another ${got}`);
}
