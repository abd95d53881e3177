import { createHash } from 'node:crypto';
import type { SqlRow, TableShape } from '../drivers/driver.ts';

const MODULUS_BITS = 256;

/** A digest of rows that does not depend on their order, which differs between engines. */
export interface RowsDigest {
  readonly rows: number;
  /** 64 hex digits: the sum of SHA-256 over the text of each row, modulo 2^256. */
  readonly hex: string;
  add(rows: readonly SqlRow[]): void;
}

/** Creates the digest of no rows. */
export function rowsDigest(): RowsDigest {
  let count = 0;
  let sum = 0n;
  return {
    get rows() {
      return count;
    },
    get hex() {
      return sum.toString(16).padStart(MODULUS_BITS / 4, '0');
    },
    add(rows) {
      for (const row of rows) sum += BigInt(`0x${createHash('sha256').update(rowText(row)).digest('hex')}`);
      sum = BigInt.asUintN(MODULUS_BITS, sum);
      count += rows.length;
    },
  };
}

/** Writes a row as JSON: texts, numbers and null as they are, bytes as an array with their base64. */
function rowText(row: SqlRow): string {
  return JSON.stringify(
    row.map((value) => (value instanceof Uint8Array ? [bytesText(value, 'base64')] : value)),
  );
}

/** Writes the key of a row; different keys of a table have different texts. */
export function rowKey({ columns, key }: TableShape, row: SqlRow): string {
  let text = '';
  for (const column of key) {
    const value = row[columns.indexOf(column)] ?? null;
    const part = value instanceof Uint8Array ? bytesText(value, 'latin1') : String(value);
    text += `${part.length}:${part}`;
  }
  return text;
}

/** Whether two rows have the same values. */
export function areEqualRows(one: SqlRow, other: SqlRow): boolean {
  return one.every((value, index) => {
    const compared = other[index];
    if (!(value instanceof Uint8Array && compared instanceof Uint8Array)) return value === compared;
    return Buffer.compare(value, compared) === 0;
  });
}

function bytesText({ buffer, byteOffset, byteLength }: Uint8Array, encoding: 'base64' | 'latin1'): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString(encoding);
}
