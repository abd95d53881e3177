import { byteCount, isBytes } from '../../bytes.ts';
import { type CryptoFunctions, parseRefusal } from '../../engine/backends/backend.ts';
import { WORD_BYTES } from '../../groth16/layout.ts';
import { type NumberForm, writeNumber } from '../../groth16/numbers.ts';
import { numberOf } from '../../semaphore/words.ts';
import { ProofgateError, publicError, reading } from './proofgate-error.ts';

/** A public key of EdDSA over BabyJubJub. */
export interface EddsaPublicKey {
  /** Affine coordinates. */
  readonly x: bigint;
  readonly y: bigint;
  /** Compressed, 32 bytes: y little-endian, the highest bit set if x is in the upper half of the field. */
  readonly bytes: Uint8Array;
}

/** EdDSA with Poseidon2 over BabyJubJub. Seeds are 32 bytes, signatures 64 (R compressed ‖ s little-endian). */
export interface Eddsa {
  /** Derives the public key of a seed. */
  publicKey(seed: Uint8Array): Promise<EddsaPublicKey>;
  /** Signs a field element; deterministic. */
  sign(seed: Uint8Array, message: NumberForm): Promise<Uint8Array>;
  /** Whether a signature is valid for a message under a compressed public key; false for malformed bytes. */
  verify(publicKey: Uint8Array, message: NumberForm, signature: Uint8Array): Promise<boolean>;
}

/** Hashes and signatures over the BN254 scalar field. */
export interface HashFunctions {
  /** Hashes 1 to 16 field elements with the Poseidon of circomlib. */
  poseidon(inputs: readonly NumberForm[]): Promise<bigint>;
  /** Computes the Poseidon2 permutation of 2, 3, 4, 8, 12 or 16 field elements (spec/credential.md#poseidon2). */
  poseidon2(state: readonly NumberForm[]): Promise<bigint[]>;
  readonly eddsa: Eddsa;
}

/** Runs a step on a loaded crypto core. */
export type UseCrypto = <T>(step: (functions: CryptoFunctions) => T) => Promise<T>;

const SEED_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Maximum number of elements of a Poseidon hash and of the state of a Poseidon2 permutation. */
const MAX_ELEMENTS = 16;
const CODES = { form: 'input.form', range: 'input.range' } as const;

/**
 * Creates the functions over a core. Values that are not field elements reject with `input.form`, `input.range` or
 * `input.count`, seeds of another length with `signing_key.length`. Values are copied before a function waits for the
 * core.
 */
export function hashFunctions(use: UseCrypto): HashFunctions {
  return {
    poseidon: async (inputs) => {
      const bytes = wordsOf(inputs, 'input.count');
      return numberOf(await refusing(() => use((functions) => functions.poseidon(bytes))));
    },
    poseidon2: async (state) => {
      const bytes = wordsOf(state, 'hash.width');
      const width = bytes.length / WORD_BYTES;
      return numbersOf(await refusing(() => use((functions) => functions.poseidon2(width, bytes))));
    },
    eddsa: {
      publicKey: async (seed) => {
        const key = await withKey(use, seed, (functions, handle) => functions.publicKey(handle));
        const [x = 0n, y = 0n] = numbersOf(key.subarray(0, 2 * WORD_BYTES));
        return { x, y, bytes: key.slice(2 * WORD_BYTES) };
      },
      sign: async (seed, message) => {
        const word = wordOf(message);
        return await withKey(use, seed, (functions, handle) => functions.sign(handle, word));
      },
      verify: async (publicKey, message, signature) => {
        const key = copyOf(publicKey, WORD_BYTES);
        const both = copyOf(signature, SIGNATURE_BYTES);
        const word = wordOf(message);
        if (key === undefined || both === undefined) return false;
        return await use((functions) => functions.verifySignature(key, word, both));
      },
    },
  };
}

/** Runs a step with the handle of a signing key; the key exists only during the step. */
async function withKey(
  use: UseCrypto,
  seed: Uint8Array,
  step: (functions: CryptoFunctions, handle: number) => Uint8Array,
): Promise<Uint8Array> {
  const copy = copyOf(seed, SEED_BYTES);
  if (copy === undefined)
    throw new ProofgateError('signing_key.length', `expected a seed of ${SEED_BYTES} bytes`);
  try {
    return await refusing(() =>
      use((functions) => {
        const handle = functions.createSigningKey(copy);
        try {
          return step(functions, handle);
        } finally {
          functions.releaseSigningKey(handle);
        }
      }),
    );
  } finally {
    copy.fill(0);
  }
}

/**
 * Copies bytes of a given length; undefined for any other value. `slice` is not used, since it copies nothing for a
 * Buffer.
 */
function copyOf(value: unknown, length: number): Uint8Array | undefined {
  return isBytes(value) && byteCount(value) === length ? new Uint8Array(value) : undefined;
}

/** @param tooMany - Code for more elements than any hash accepts. */
function wordsOf(values: readonly NumberForm[], tooMany: 'input.count' | 'hash.width'): Uint8Array {
  return readElements(() => {
    if (!Array.isArray(values)) throw new ProofgateError('input.form', 'expected an array of field elements');
    const { length } = values;
    if (length > MAX_ELEMENTS)
      throw new ProofgateError(tooMany, `expected at most ${MAX_ELEMENTS} elements, got ${length}`);
    const bytes = new Uint8Array(length * WORD_BYTES);
    // By index: holes count, and the array may change while its elements are read.
    for (let index = 0; index < length; index++) {
      const word = bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
      writeNumber(values[index], word, `element ${index}`, CODES);
    }
    return bytes;
  });
}

function wordOf(message: NumberForm): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  readElements(() => writeNumber(message, word, 'message', CODES));
  return word;
}

function readElements<T>(step: () => T): T {
  try {
    return reading('input.form', step);
  } catch (error) {
    throw publicError(error);
  }
}

function numbersOf(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, index) =>
    numberOf(bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)),
  );
}

/** Converts a refusal of the core, whose message is `code: detail`, to a `ProofgateError`. */
async function refusing<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const refusal = parseRefusal(error);
    if (refusal === undefined) throw error;
    throw new ProofgateError(refusal.code, refusal.detail || refusal.code, { cause: error });
  }
}
