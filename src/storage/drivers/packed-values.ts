import type { SqlRow, SqlValue } from './driver.ts';

/**
 * Values of a message between threads. Copying a byte array to another thread costs about as much as copying
 * thirty numbers or texts, so all byte arrays of a message are concatenated in `bytes`; in their places,
 * `values` has undefined followed by the length.
 */
export interface PackedValues {
  readonly values: readonly (Exclude<SqlValue, Uint8Array> | undefined)[];
  readonly bytes: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);

/** Packs values, in order. */
export class ValuePacker {
  readonly #values: (Exclude<SqlValue, Uint8Array> | undefined)[] = [];
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(value: SqlValue): void {
    if (!(value instanceof Uint8Array)) this.#values.push(value);
    else {
      this.#values.push(undefined, value.length);
      this.#parts.push(value);
      this.#length += value.length;
    }
  }

  /** Returns the packed values; copies the bytes. */
  finish(): PackedValues {
    if (this.#parts.length === 0) return { values: this.#values, bytes: NO_BYTES };
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return { values: this.#values, bytes };
  }
}

/**
 * Unpacks values in order. Byte values are views of the message, for callers that bind them immediately:
 * copying them would cost half a microsecond each for a new buffer.
 */
export class ValueReader {
  readonly #packed: PackedValues;
  #at = 0;
  #byteAt = 0;

  constructor(packed: PackedValues) {
    this.#packed = packed;
  }

  /** Returns the next value. */
  next(): SqlValue {
    const { values, bytes } = this.#packed;
    const value = values[this.#at++];
    if (value !== undefined) return value;
    const length = values[this.#at++] as number;
    const start = this.#byteAt;
    this.#byteAt += length;
    return bytes.subarray(start, this.#byteAt);
  }

  /** Returns the next `count` values. */
  take(count: number): SqlValue[] {
    const values: SqlValue[] = [];
    for (let index = 0; index < count; index++) values.push(this.next());
    return values;
  }
}

/** Rows of one transaction; `shape` has the numbers of rows and columns of each statement. */
export interface PackedResults extends PackedValues {
  readonly shape: readonly number[];
}

/** Packs the rows of each statement. All rows of a statement have as many values. */
export function packResults(results: readonly (readonly SqlRow[])[]): PackedResults {
  const packer = new ValuePacker();
  const shape: number[] = [];
  for (const rows of results) {
    shape.push(rows.length, rows[0]?.length ?? 0);
    for (const row of rows) for (const value of row) packer.add(value);
  }
  return { ...packer.finish(), shape };
}

/** Unpacks the rows of each statement; byte values are copies. */
export function unpackResults(packed: PackedResults): SqlRow[][] {
  const reader = new ValueReader(packed);
  const { shape } = packed;
  const results: SqlRow[][] = [];
  for (let index = 0; index < shape.length; index += 2) {
    const columns = shape[index + 1] as number;
    const rows: SqlRow[] = [];
    for (let row = shape[index] as number; row > 0; row--) rows.push(reader.take(columns).map(toOwnedValue));
    results.push(rows);
  }
  return results;
}

function toOwnedValue(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? value.slice() : value;
}
