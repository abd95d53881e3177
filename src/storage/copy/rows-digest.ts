import { createHash } from 'node:crypto';
import type { SqlRow, TableShape } from '../drivers/driver.ts';

const MODULUS_BITS = 256;

/** A digest of rows that does not depend on their order, which differs between engines. */
export interface RowsDigest {
  readonly rows: number;
  /** 64 hex digits: the sum of SHA-256 over the text of each row, modulo 2^256. */
  readonly hex: string;
  add(rows: readonly SqlRow[]): void;
  /** Adds the rows of another digest. */
  addDigest(other: RowsDigest): void;
  /** Takes out rows that were added. */
  subtract(rows: readonly SqlRow[]): void;
}

/** Creates the digest of some rows. */
export function rowsDigest(rows: readonly SqlRow[] = []): RowsDigest {
  let count = 0;
  let sum = 0n;
  const addSum = (rows: number, value: bigint): void => {
    count += rows;
    sum = BigInt.asUintN(MODULUS_BITS, sum + value);
  };
  const digest: RowsDigest = {
    get rows() {
      return count;
    },
    get hex() {
      return sum.toString(16).padStart(MODULUS_BITS / 4, '0');
    },
    add: (added) => addSum(added.length, sumOf(added)),
    addDigest: (other) => addSum(other.rows, BigInt(`0x${other.hex}`)),
    subtract: (removed) => addSum(-removed.length, -sumOf(removed)),
  };
  digest.add(rows);
  return digest;
}

function sumOf(rows: readonly SqlRow[]): bigint {
  let sum = 0n;
  for (const row of rows) sum += BigInt(`0x${createHash('sha256').update(rowText(row)).digest('hex')}`);
  return sum;
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
