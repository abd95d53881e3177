/**
 * The board: shared memory on which the main thread lays out batches of proofs, each in a tray, and from which the
 * threads take them.
 *
 * Words are 32 bits in native order. The board begins with the control words; then come the trays, each with its head,
 * one verdict word for each proof, the verifying key where the thread has to prepare it itself, and the proofs, each
 * proof ‖ inputs. Only the main thread writes to a free or open tray, only the thread that holds it to a taken one:
 *
 *   free (0) → open (count of proofs, by main) → taken (minus thread id, by a thread) → done or faulty (by that thread)
 *   open → open with a higher count, open → free (both by main); from done, faulty, or taken by a thread that has
 *   ended → free (by main)
 *
 * Every step is one atomic exchange of the state word, so that nothing is lost wherever a thread ends.
 */

/** Bytes of the longest verifying key, with 1024 inputs. */
export const MAX_KEY_BYTES: number = 448 + 1025 * 64;

// Proofs that have many inputs may fill a tray before the batch is full; a proof always fits.
const TRAY_DATA_BYTES = 1 << 20;
const USUAL_PROOF_BYTES = 256 + 4 * 32;
const LARGEST_PROOF_BYTES = 256 + 1024 * 32;
const WORD = Int32Array.BYTES_PER_ELEMENT;
const ALIGNMENT = 64;

/** Control words. */
export const PUBLISHED = 0;
/** 1 from the time when a thread has told the main thread of an answer until the main thread looks. */
export const RUNG = 1;
/** 1 when the main thread asks one of the threads that take trays to come back for another task. */
export const CALLED = 2;
const CONTROL_WORDS = ALIGNMENT / WORD;

/** Words of a tray's head. */
export const STATE = 0;
/** Trays are taken in this order; wraps around. */
export const ORDER = 1;
/** Grows with each use of the tray; a verdict carries it, so that none can answer another batch. */
export const GENERATION = 2;
export const KEY_ID = 3;
/** Handle of a key that the addon keeps for the process. */
export const KEY_HANDLE = 4;
/** Bytes of the key that the tray holds; 0 where the handle says it all. */
export const KEY_LENGTH = 5;
export const INPUT_COUNT = 6;
/** 1 when many of the proofs are expected to be bad: none are combined then. */
export const SINGLY = 7;
/** Microseconds that the batch took; of a faulty tray the bytes of the fault's text, which stands where the proofs were. */
export const RESULT = 8;
const HEAD_WORDS = 9;

/** States that are neither a count nor a thread. */
export const FREE = 0;
export const DONE = 0x7fff_fffe;
export const FAULTY = 0x7fff_ffff;

export const GENERATION_MASK = 0xff_ffff;

/** The board as a worker is told of it. */
export interface BoardSetup {
  readonly buffer: SharedArrayBuffer;
  readonly trays: number;
  readonly maxBatch: number;
}

/** Where the parts of the trays lie, for both sides. */
export class BoardLayout {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly trays: number;
  readonly maxBatch: number;
  /** Bytes for proofs in a tray. */
  readonly dataBytes: number;
  readonly #strideWords: number;

  constructor({ buffer, trays, maxBatch }: BoardSetup) {
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.trays = trays;
    this.maxBatch = maxBatch;
    this.dataBytes = dataBytesFor(maxBatch);
    this.#strideWords = strideBytes(maxBatch) / WORD;
  }

  /** Index of the first word of a tray's head. */
  head(tray: number): number {
    return CONTROL_WORDS + tray * this.#strideWords;
  }

  /** Index of the verdict word of a tray's first proof. */
  verdicts(tray: number): number {
    return this.head(tray) + HEAD_WORDS;
  }

  /** Byte at which the key begins. */
  key(tray: number): number {
    return (this.verdicts(tray) + this.maxBatch) * WORD;
  }

  /** Byte at which the proofs begin. */
  data(tray: number): number {
    return this.key(tray) + MAX_KEY_BYTES;
  }
}

/** Bytes of a board; memory that no tray has used costs nothing, the system gives it on first use. */
export function boardBytes(trays: number, maxBatch: number): number {
  return CONTROL_WORDS * WORD + trays * strideBytes(maxBatch);
}

function dataBytesFor(maxBatch: number): number {
  const wanted = Math.min(maxBatch * LARGEST_PROOF_BYTES, TRAY_DATA_BYTES);
  return Math.max(wanted, maxBatch * USUAL_PROOF_BYTES);
}

function strideBytes(maxBatch: number): number {
  const bytes = (HEAD_WORDS + maxBatch) * WORD + MAX_KEY_BYTES + dataBytesFor(maxBatch);
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
