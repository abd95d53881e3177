import { ServiceError } from '../../errors/service-error.ts';
import type { SqlValue } from '../drivers/driver.ts';

/** Reads a text column. */
export function textColumn(value: SqlValue | undefined): string {
  if (typeof value === 'string') return value;
  throw unexpected('text', value);
}

/** Reads a nullable text column. */
export function optionalTextColumn(value: SqlValue | undefined): string | null {
  return value === null ? null : textColumn(value);
}

/** Reads a bigint column; values stay below 2^53. */
export function integerColumn(value: SqlValue | undefined): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw unexpected('a whole number below 2^53', value);
}

/** Reads a nullable bigint column. */
export function optionalIntegerColumn(value: SqlValue | undefined): number | null {
  return value === null ? null : integerColumn(value);
}

/** Reads a bytea column. */
export function bytesColumn(value: SqlValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw unexpected('bytes', value);
}

/** Reads a nullable bytea column. */
export function optionalBytesColumn(value: SqlValue | undefined): Uint8Array | null {
  return value === null ? null : bytesColumn(value);
}

/** Reads a text column that holds one of the given words. */
export function wordColumn<W extends string>(words: readonly W[], value: SqlValue | undefined): W {
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  throw unexpected(`one of ${words.join(', ')}`, value);
}

function unexpected(expected: string, value: SqlValue | undefined): ServiceError {
  const got = value === null ? 'null' : typeof value;
  return new ServiceError('store.failed', `a column of the store: expected ${expected}, got another ${got}`);
}
