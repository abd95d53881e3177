import { parseJsonText } from '../json.ts';
import { writeHex } from '../semaphore/hex.ts';
import { writeDecimal } from '../semaphore/words.ts';

const PROOF_BYTES = 256;
const HEX_TEXT_LENGTH = 2 + PROOF_BYTES * 2;

/**
 * Writes the 256 bytes of a proof, eight big-endian words in EIP-197 order, to the start of the target, from one of
 * its two text forms: `0x` and 512 hex digits, or the JSON text of nested words. Whether the words are a compressed
 * proof is decided by the engine.
 *
 * @returns Whether the text is a proof; if false, the content of `target` is undefined.
 */
export function writeProof(text: string, target: Buffer): boolean {
  if (text.length === HEX_TEXT_LENGTH && text.charCodeAt(0) === 0x30) {
    const mark = text.charCodeAt(1);
    return (mark === 0x78 || mark === 0x58) && writeDigits(text.slice(2), target);
  }
  return text.startsWith('[') && text.endsWith(']') && writeNested(text, target);
}

/** Returns a proof as `writeProof` writes it, or undefined if the text is not a proof. */
export function decodeProof(text: string): Uint8Array | undefined {
  const proof = new Uint8Array(PROOF_BYTES);
  return writeProof(text, Buffer.from(proof.buffer)) ? proof : undefined;
}

/**
 * Writes 512 hex digits by Node's decoder, which takes a fifth of the time of `writeHex` (test: decode.test.ts compares
 * both). It reads only the low byte of each UTF-16 unit, hence the comparison with the length in UTF-8, which is equal
 * for ASCII alone.
 */
function writeDigits(digits: string, target: Buffer): boolean {
  return (
    Buffer.byteLength(digits) === digits.length && target.write(digits, 0, PROOF_BYTES, 'hex') === PROOF_BYTES
  );
}

/** Writes a proof from the text `[[w0,w1],[[w2,w3],[w4,w5]],[w6,w7]]`, after undoing one level of `\"`. */
function writeNested(text: string, target: Uint8Array): boolean {
  let value: unknown;
  try {
    value = parseJsonText(text.replaceAll('\\"', '"'));
  } catch {
    return false;
  }
  const points = tuple(value, 3);
  const a = tuple(points?.[0], 2);
  const b = tuple(points?.[1], 2);
  const bx = tuple(b?.[0], 2);
  const by = tuple(b?.[1], 2);
  const c = tuple(points?.[2], 2);
  if (!a || !bx || !by || !c) return false;
  target.fill(0, 0, PROOF_BYTES);
  return [...a, ...bx, ...by, ...c].every((word, index) =>
    writeNestedWord(word, target.subarray(index * 32, index * 32 + 32)),
  );
}

function tuple(value: unknown, length: number): unknown[] | undefined {
  return Array.isArray(value) && value.length === length ? value : undefined;
}

function writeNestedWord(word: unknown, target: Uint8Array): boolean {
  if (typeof word === 'number') {
    if (!Number.isSafeInteger(word) || word < 0) return false;
    const digits = word.toString(16);
    return writeHex(digits, 0, digits.length, target);
  }
  if (typeof word !== 'string') return false;
  if (word.startsWith('0x')) return writeHex(word, 2, word.length, target);
  return writeDecimal(word, target);
}
