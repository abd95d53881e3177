/**
 * Fixed-size slots in shared memory that carry proofs to the workers and verdicts back.
 *
 * Layout of a slot, at `index * stride`: generation (u32, native order), verdict (u32), proof (256 bytes), inputs
 * (capacity × 32 bytes). The verdict cell holds `generation << 8 | byte + 1`, or 0 before an answer; the
 * generation grows with each use of the slot, so that a late verdict cannot answer another request.
 */
export const PROOF_BYTES = 256;
export const INPUT_BYTES = 32;
const HEADER_BYTES = 8;
const GENERATION_MASK = 0xff_ffff;
const CHUNK_BYTES = 1 << 19;
// Keys have 0 to 1024 inputs; four classes keep the waste below a factor of four where it matters.
const CAPACITIES = [4, 16, 64, 256, 1024] as const;

interface Chunk {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

/** One slot; whoever took it owns it until it is given back. */
export interface Slot {
  readonly chunk: Chunk;
  readonly index: number;
  generation: number;
}

/** Slots of one size. Memory grows by chunks of half a megabyte while the queue is longer than ever before. */
export class SlotArena {
  readonly stride: number;
  readonly #free: Slot[] = [];

  /** @param capacity - Public inputs that fit a slot. */
  constructor(capacity: number) {
    this.stride = HEADER_BYTES + PROOF_BYTES + capacity * INPUT_BYTES;
  }

  /** Takes a free slot and copies proof and inputs into it. */
  take(proof: Uint8Array, inputs: Uint8Array): Slot {
    const slot = this.#free.pop() ?? this.#grow();
    const start = slot.index * this.stride;
    slot.generation = (slot.generation + 1) & GENERATION_MASK;
    slot.chunk.words[start >> 2] = slot.generation;
    slot.chunk.words[(start >> 2) + 1] = 0;
    slot.chunk.bytes.set(proof, start + HEADER_BYTES);
    slot.chunk.bytes.set(inputs, start + HEADER_BYTES + PROOF_BYTES);
    return slot;
  }

  /** Makes a slot free again. Not to be called while a worker may hold it. */
  giveBack(slot: Slot): void {
    this.#free.push(slot);
  }

  /** The verdict byte that a worker left for this use of the slot, or undefined. */
  verdictByte(slot: Slot): number | undefined {
    const cell = slot.chunk.words[((slot.index * this.stride) >> 2) + 1] as number;
    return cell !== 0 && cell >>> 8 === slot.generation ? (cell & 0xff) - 1 : undefined;
  }

  #grow(): Slot {
    const count = Math.max(16, Math.floor(CHUNK_BYTES / this.stride));
    const buffer = new SharedArrayBuffer(count * this.stride);
    const chunk: Chunk = { buffer, bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) };
    for (let index = count - 1; index > 0; index -= 1) this.#free.push({ chunk, index, generation: 0 });
    return { chunk, index: 0, generation: 0 };
  }
}

/** The arenas of all sizes; each is made when the first key of its size is registered. */
export class SlotArenas {
  readonly #arenas = new Map<number, SlotArena>();

  /** The arena whose slots hold `inputCount` inputs, at most 1024. */
  forInputs(inputCount: number): SlotArena {
    const capacity = CAPACITIES.find((size) => size >= inputCount);
    if (capacity === undefined) throw new RangeError(`no slot holds ${inputCount} inputs`);
    let arena = this.#arenas.get(capacity);
    if (!arena) {
      arena = new SlotArena(capacity);
      this.#arenas.set(capacity, arena);
    }
    return arena;
  }
}

/**
 * A worker's view of the slots of one task. The constructor copies proofs and inputs into private memory, and
 * shared memory is never read again: no check can be fooled by bytes that change after it.
 */
export class TaskSlots {
  /** Proof ‖ inputs of each slot, one after another. */
  readonly batch: Uint8Array;
  readonly #verdictCells: { readonly words: Uint32Array; readonly at: number }[] = [];
  readonly #generations: number[] = [];

  /** @param slots - Pairs of an index into `chunks` and a slot of that chunk. */
  constructor(
    chunks: readonly SharedArrayBuffer[],
    slots: readonly number[],
    stride: number,
    inputCount: number,
  ) {
    const size = PROOF_BYTES + inputCount * INPUT_BYTES;
    const views = chunks.map((buffer) => ({ bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) }));
    this.batch = new Uint8Array((slots.length / 2) * size);
    for (let pair = 0; pair < slots.length; pair += 2) {
      const view = views[slots[pair] as number];
      if (!view) throw new RangeError('a slot names a chunk that the task does not have');
      const start = (slots[pair + 1] as number) * stride;
      this.#generations.push(view.words[start >> 2] as number);
      this.#verdictCells.push({ words: view.words, at: (start >> 2) + 1 });
      this.batch.set(
        view.bytes.subarray(start + HEADER_BYTES, start + HEADER_BYTES + size),
        (pair / 2) * size,
      );
    }
  }

  /** Leaves one verdict byte for each slot, each marked with the generation that was read with the bytes. */
  answer(verdicts: Uint8Array): void {
    if (verdicts.length !== this.#verdictCells.length) {
      throw new RangeError(`${this.#verdictCells.length} proofs got ${verdicts.length} verdicts`);
    }
    for (const [index, { words, at }] of this.#verdictCells.entries()) {
      const generation = this.#generations[index] as number;
      words[at] = ((generation << 8) | ((verdicts[index] as number) + 1)) >>> 0;
    }
  }
}
