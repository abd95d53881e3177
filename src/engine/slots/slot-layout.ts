/**
 * Layout of the batch slots: shared memory in which the main thread lays out batches of proofs or calls, and
 * from which the workers take them.
 *
 * Words are 32 bits in native byte order. The memory begins with the control words. The slots follow, each
 * with its head, one result word and one length word for each item, the context (the verifying key or seed
 * that the worker must prepare itself, or the domain tag) and the data (statements, or the bytes of the calls
 * one after another).
 *
 * States of a slot; every step is one atomic operation on its state word, so that nothing is lost, at
 * whatever point a thread ends. Where both sides may act (ready → ready, free or taken) it is a
 * compare-exchange, of which one side wins:
 *
 *   free → ready        the main thread laid out a batch; the state word is the number of its items
 *   ready → ready       the main thread added proofs; the word grows
 *   ready → free        the main thread took the batch back, permanently or to add calls
 *   ready → taken       a worker took the batch; the word is the negative id of its thread
 *   taken → done        the worker left a result for every item
 *   taken → faulty      no item has a result; the data begins with the text of the fault
 *   done, faulty → free the main thread has read the answers
 *   taken → free        by the main thread, after the thread has ended
 *
 * Only the main thread writes to a free slot, and only the worker that took it to a taken one. To a ready
 * slot the main thread writes beyond the published number of proofs, which a worker that takes it meanwhile
 * does not read; a worker writes no data for proofs. Calls are added only to a slot that was taken back,
 * since their results overwrite the data.
 */

/** Bytes of the longest verifying key, with 1024 inputs. */
export const MAX_KEY_BYTES: number = 448 + 1025 * 64;

// Proofs with many inputs may fill a slot before the batch is full; a single proof always fits.
const MIN_DATA_BYTES = 1 << 20;
const USUAL_PROOF_BYTES = 256 + 4 * 32;
const WORD = Int32Array.BYTES_PER_ELEMENT;
const ALIGNMENT = 64;

// No operation returns more than four bytes per input byte, or a few words without input.
const RESULT_GROWTH = 4;
/** Maximum bytes of the text of a refusal or fault; longer texts are cut. */
export const MAX_TEXT_BYTES = 256;

/** Control word that changes with every announcement, on which idle workers sleep. */
export const ANNOUNCED = 0;
/** Control word: 1 after a worker has notified the main thread of an answer, until the main thread polls. */
export const NOTIFIED = 1;
const CONTROL_WORDS = ALIGNMENT / WORD;

/** Words of a slot's head. */
export const STATE = 0;
/** Slots are taken in ascending order; wraps around. */
export const ORDER = 1;
/** Incremented with each use of the slot; part of each result, so that no result can answer another batch. */
export const GENERATION = 2;
/** Index in `OPERATION_NAMES`. */
export const OPERATION = 3;
/** 0: no key. */
export const KEY_ID = 4;
/** Handle of a key that the addon keeps for the process. */
export const KEY_HANDLE = 5;
/** Number of used bytes of the context. */
export const CONTEXT_LENGTH = 6;
/** Public inputs of `verify`, width of `poseidon2`, depth of `oneLeafRoot`. */
export const PARAMETER = 7;
/** 1 if the proofs are checked one by one, not combined, since many are expected to be bad. */
export const SEPARATELY = 8;
/** Run time of the batch in microseconds; for a faulty slot, the length of the fault text in bytes. */
export const RESULT = 9;
const HEAD_WORDS = 10;

/** States that are neither a count nor a thread. */
export const FREE = 0;
export const DONE = 0x7fff_fffe;
export const FAULTY = 0x7fff_ffff;

// A result word is generation << 8 | result; 0 in the low byte means "no result".
export const GENERATION_MASK = 0xff_ffff;
/** Result of a call that succeeded; its bytes are in the data. Results of proofs are verdict bytes. */
export const SUCCEEDED = 1;
/** Result of a call that the core refused; `code: detail` is in the data. */
export const REFUSED = 2;

/** Shared memory of the slots and its dimensions, for the workers. */
export interface SlotsSetup {
  readonly buffer: SharedArrayBuffer;
  readonly slots: number;
  readonly maxBatch: number;
}

/** Positions of the parts of each slot, for both sides. */
export class SlotLayout {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly slots: number;
  readonly maxBatch: number;
  /** Bytes for statements or calls in a slot. */
  readonly dataBytes: number;
  readonly #strideWords: number;

  constructor({ buffer, slots, maxBatch }: SlotsSetup) {
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.slots = slots;
    this.maxBatch = maxBatch;
    this.dataBytes = dataBytesFor(maxBatch);
    this.#strideWords = strideBytes(maxBatch) / WORD;
  }

  /** Returns the index of the first word of a slot's head. */
  head(slot: number): number {
    return CONTROL_WORDS + slot * this.#strideWords;
  }

  /** Returns the index of the result word of a slot's first item. */
  results(slot: number): number {
    return this.head(slot) + HEAD_WORDS;
  }

  /** Returns the index of the length word of a slot's first call: of its input, later of its result. */
  lengths(slot: number): number {
    return this.results(slot) + this.maxBatch;
  }

  /** Returns the byte at which the context begins. */
  context(slot: number): number {
    return (this.lengths(slot) + this.maxBatch) * WORD;
  }

  /** Returns the byte at which the data begins. */
  data(slot: number): number {
    return this.context(slot) + MAX_KEY_BYTES;
  }
}

/** Returns the size of all slots in bytes. The system allocates memory on first use: an unused slot costs none. */
export function slotsBytes(slots: number, maxBatch: number): number {
  return CONTROL_WORDS * WORD + slots * strideBytes(maxBatch);
}

/** Returns the bytes of data for a call of this length: for its input, later for its result. */
export function callRoomBytes(bytes: number): number {
  return Math.max(RESULT_GROWTH * bytes, MAX_TEXT_BYTES);
}

/** Returns the maximum number of bytes of one call. */
export function maxCallBytes(maxBatch: number): number {
  return dataBytesFor(maxBatch) / RESULT_GROWTH;
}

function dataBytesFor(maxBatch: number): number {
  return Math.max(MIN_DATA_BYTES, maxBatch * USUAL_PROOF_BYTES);
}

function strideBytes(maxBatch: number): number {
  const bytes = (HEAD_WORDS + 2 * maxBatch) * WORD + MAX_KEY_BYTES + dataBytesFor(maxBatch);
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
