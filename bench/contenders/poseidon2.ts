/**
 * Poseidon2 over the BN254 scalar field in plain JavaScript (spec/credential.md#poseidon2): BigInt, constants
 * regenerated at first use, no code of the product.
 */

/** Order of the field. */
export const FIELD_ORDER: bigint =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n;

const FULL_ROUNDS = 8;
const FIELD_BITS = 254;
/** Partial rounds of each width, and its diagonal: fixed, or the index of the candidate. */
const WIDTHS: Readonly<
  Record<number, { readonly partial: number; readonly diagonal: number | readonly bigint[] }>
> = {
  2: { partial: 56, diagonal: [1n, 2n] },
  3: { partial: 56, diagonal: [1n, 1n, 2n] },
  4: { partial: 56, diagonal: 4 },
  8: { partial: 57, diagonal: 30 },
  12: { partial: 57, diagonal: 6 },
  16: { partial: 57, diagonal: 6 },
};

/** Constants of one width, in the order that they are used. */
export interface Poseidon2Constants {
  /** Eight rounds; each has as many constants as the width. */
  readonly external: readonly (readonly bigint[])[];
  readonly internal: readonly bigint[];
  /** Diagonal of the internal matrix, less one. */
  readonly diagonal: readonly bigint[];
}

/** Returns a generator of self-shrunk bits of the 80-bit Grain LFSR; discards the first 160 steps. */
function grainBits(width: number, partial: number): () => number {
  const fields: readonly (readonly [value: number, bits: number])[] = [
    [1, 2] as const,
    [0, 4] as const,
    [FIELD_BITS, 12] as const,
    [width, 12] as const,
    [FULL_ROUNDS, 10] as const,
    [partial, 10] as const,
    [2 ** 30 - 1, 30] as const,
  ];
  const state = fields.flatMap(([value, bits]) => Array.from(value.toString(2).padStart(bits, '0'), Number));
  let first = 0;
  const bit = (offset: number): number => state[(first + offset) % 80] ?? 0;
  const step = (): number => {
    const next = bit(62) ^ bit(51) ^ bit(38) ^ bit(23) ^ bit(13) ^ bit(0);
    state[first] = next;
    first = (first + 1) % 80;
    return next;
  };
  for (let count = 0; count < 160; count += 1) step();
  return () => {
    for (;;) {
      const [isEmitted, emitted] = [step(), step()];
      if (isEmitted) return emitted;
    }
  };
}

function generate(width: number): Poseidon2Constants {
  const row = WIDTHS[width];
  if (row === undefined) throw new RangeError(`no Poseidon2 of width ${width}`);
  const bit = grainBits(width, row.partial);
  const draw = (): bigint => BigInt(`0b${Array.from({ length: FIELD_BITS }, bit).join('')}`);
  const constant = (): bigint => {
    for (;;) {
      const value = draw();
      if (value < FIELD_ORDER) return value;
    }
  };
  const round = (): bigint[] => Array.from({ length: width }, constant);
  const begin = Array.from({ length: FULL_ROUNDS / 2 }, round);
  const internal = Array.from({ length: row.partial }, constant);
  const end = Array.from({ length: FULL_ROUNDS / 2 }, round);
  const external = [...begin, ...end];
  if (typeof row.diagonal !== 'number') return { external, internal, diagonal: row.diagonal };
  let candidate: bigint[] = [];
  for (let index = 0; index <= row.diagonal; index += 1) {
    candidate = Array.from({ length: width }, () => draw() % FIELD_ORDER);
  }
  return { external, internal, diagonal: candidate.map((value) => (value + FIELD_ORDER - 1n) % FIELD_ORDER) };
}

const known = new Map<number, Poseidon2Constants>();

/**
 * Returns the constants of a width (2, 3, 4, 8, 12, 16), generated once.
 *
 * @throws RangeError for another width
 */
export function poseidon2Constants(width: number): Poseidon2Constants {
  let constants = known.get(width);
  if (constants === undefined) {
    constants = generate(width);
    known.set(width, constants);
  }
  return constants;
}

function fifthPower(value: bigint): bigint {
  const square = (value * value) % FIELD_ORDER;
  return (((square * square) % FIELD_ORDER) * value) % FIELD_ORDER;
}

/** Applies the matrix of full rounds in place: M4 on each block of four, then the sums over the blocks. */
function mixExternal(state: bigint[]): void {
  const width = state.length;
  if (width < 4) {
    let sum = 0n;
    for (const value of state) sum += value;
    for (let index = 0; index < width; index += 1) state[index] = ((state[index] ?? 0n) + sum) % FIELD_ORDER;
    return;
  }
  const sums = [0n, 0n, 0n, 0n];
  for (let start = 0; start < width; start += 4) {
    const [a = 0n, b = 0n, c = 0n, d = 0n] = state.slice(start, start + 4);
    state[start] = 5n * a + 7n * b + c + 3n * d;
    state[start + 1] = 4n * a + 6n * b + c + d;
    state[start + 2] = a + 3n * b + 5n * c + 7n * d;
    state[start + 3] = a + b + 4n * c + 6n * d;
    for (let offset = 0; offset < 4; offset += 1)
      sums[offset] = (sums[offset] ?? 0n) + (state[start + offset] ?? 0n);
  }
  for (let index = 0; index < width; index += 1) {
    // With one block, M4 is the whole matrix.
    const sum = width === 4 ? 0n : (sums[index % 4] ?? 0n);
    state[index] = ((state[index] ?? 0n) + sum) % FIELD_ORDER;
  }
}

function fullRound(state: bigint[], constants: readonly bigint[]): void {
  for (const [index, constant] of constants.entries())
    state[index] = fifthPower((state[index] ?? 0n) + constant);
  mixExternal(state);
}

function partialRound(state: bigint[], constant: bigint, diagonal: readonly bigint[]): void {
  state[0] = fifthPower((state[0] ?? 0n) + constant);
  let sum = 0n;
  for (const value of state) sum += value;
  for (const [index, factor] of diagonal.entries())
    state[index] = (factor * (state[index] ?? 0n) + sum) % FIELD_ORDER;
}

/**
 * Applies the permutation whose width is the number of elements.
 *
 * @param input - 2, 3, 4, 8, 12 or 16 elements, each at least 0 and below the order.
 * @throws RangeError for another number of elements
 */
export function poseidon2(input: readonly bigint[]): bigint[] {
  const { external, internal, diagonal } = poseidon2Constants(input.length);
  const state = [...input];
  mixExternal(state);
  for (const constants of external.slice(0, FULL_ROUNDS / 2)) fullRound(state, constants);
  for (const constant of internal) partialRound(state, constant, diagonal);
  for (const constants of external.slice(FULL_ROUNDS / 2)) fullRound(state, constants);
  return state;
}
