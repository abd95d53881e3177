/** Bytes of a proof: A (64) ‖ B (128) ‖ C (64). */
export const PROOF_BYTES = 256;
/** Bytes of a public input. */
export const INPUT_BYTES = 32;

const FIRST_ROWS = 16;
const MOST_ROWS = 1024;

/** Proof ‖ inputs of one waiting proof. */
export type Row = Uint8Array;

/** Memory in which proofs with the same number of inputs wait; rows are used again, and their number never shrinks. */
export class RowArena {
  readonly #rowBytes: number;
  readonly #free: Row[] = [];
  #next = FIRST_ROWS;

  constructor(inputCount: number) {
    this.#rowBytes = PROOF_BYTES + inputCount * INPUT_BYTES;
  }

  /** Copies a proof and its inputs: their owner may change them afterwards. */
  take(proof: Uint8Array, inputs: Uint8Array): Row {
    const row = this.#free.pop() ?? this.#grow();
    row.set(proof);
    row.set(inputs, PROOF_BYTES);
    return row;
  }

  giveBack(row: Row): void {
    this.#free.push(row);
  }

  #grow(): Row {
    const bytes = new Uint8Array(this.#next * this.#rowBytes);
    for (let start = 0; start < bytes.length; start += this.#rowBytes) {
      this.#free.push(bytes.subarray(start, start + this.#rowBytes));
    }
    this.#next = Math.min(2 * this.#next, MOST_ROWS);
    return this.#free.pop() as Row;
  }
}

/** The arenas by number of inputs; keys with as many inputs share one. */
export class RowArenas {
  readonly #arenas = new Map<number, RowArena>();

  forInputs(inputCount: number): RowArena {
    let arena = this.#arenas.get(inputCount);
    if (!arena) {
      arena = new RowArena(inputCount);
      this.#arenas.set(inputCount, arena);
    }
    return arena;
  }
}
