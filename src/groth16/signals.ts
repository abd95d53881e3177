import { byteCount, isBytes } from '../bytes.ts';
import { isObject } from '../json.ts';
import { writeDecimal } from '../semaphore/words.ts';
import { type Content, contentOf, mayBeText } from './content.ts';
import { arkworksInputs } from './forms/arkworks.ts';
import { gnarkWitness } from './forms/gnark.ts';
import { FormError, quoted, WORD_BYTES } from './layout.ts';
import { type NumberCodes, type NumberForm, writeNumber } from './numbers.ts';

/**
 * Public signals in the order of the circuit: numbers, the JSON of these, or bytes: n × 32, big-endian, or those of a
 * public witness of gnark or of the inputs of arkworks; or, as an object, what users of SP1, RISC Zero or Semaphore have
 * in their place (`withSignals`).
 */
export type SignalsForm = readonly NumberForm[] | Uint8Array | string | object;

const HEX_MARK = /^\s*0x/i;
const SIGNALS_CODES = { form: 'input.form', length: 'input.count', what: 'public signals' } as const;
const CODES: NumberCodes = { form: 'input.form', range: 'input.range' };

/** A text that could be a public signal, or the bytes of one. */
const AMBIGUOUS = /^\s*[0-9]{64}\s*$/;

/**
 * Encodes public signals for the engine, which checks that each is below r.
 *
 * @param count - Number of public inputs of the verifying key.
 * @returns count × 32 bytes, a copy: each value is read once.
 * @throws FormError `input.form`, `input.count`, `input.range`
 */
export function readSignals(source: unknown, count: number): Uint8Array {
  if (isBytes(source) && byteCount(source) === count * WORD_BYTES) return wordsOfBytes(source);
  const list = signalsIn(source);
  if (list instanceof Uint8Array) {
    const words = wordsIn(list, count);
    if (words !== undefined) return words;
    if (typeof source === 'string' && !HEX_MARK.test(source)) throw noList(source);
    throw new FormError('input.count', '', `expected ${count} × 32 bytes, got ${list.length}`);
  }
  const { length } = list;
  if (length !== count)
    throw new FormError('input.count', '', `expected ${count} public signals, got ${length}`);
  const bytes = new Uint8Array(count * WORD_BYTES);
  for (let index = 0; index < count; index++) {
    const target = bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
    writeSignal(list[index], target, index);
  }
  return bytes;
}

/** Returns bytes of the right number, unless they are JSON as well. @throws FormError `input.form` */
function wordsOfBytes(source: Uint8Array): Uint8Array {
  const words = new Uint8Array(source);
  if (!mayBeText(words) || jsonIn(words) === undefined) return words;
  throw new FormError(
    'input.form',
    '',
    'ambiguous: these bytes are numbers of 32 bytes each, or JSON: give a list',
  );
}

/** Returns the list or object in a text or bytes of JSON; undefined for any other value, also of JSON. */
export function jsonIn(source: unknown): object | undefined {
  if (typeof source !== 'string' && !isBytes(source)) return undefined;
  try {
    const content = contentOf(source, SIGNALS_CODES);
    return 'json' in content && typeof content.json === 'object' ? (content.json ?? undefined) : undefined;
  } catch (error) {
    // No JSON, although it may begin as such.
    if (error instanceof FormError) return undefined;
    throw error;
  }
}

/** Writes one public signal. @throws FormError `input.form`, `input.range` */
export function writeSignal(value: unknown, target: Uint8Array, index: number): void {
  // The usual case, without making a name.
  if (typeof value === 'string' && writeDecimal(value, target)) return;
  writeNumber(value, target, `publicSignals[${index}]`, CODES);
}

/** Returns the list of public signals in a value, or its bytes. @throws FormError `input.form` */
export function signalsIn(source: unknown): readonly unknown[] | Uint8Array {
  if (Array.isArray(source)) return source;
  if (typeof source !== 'string' && !isBytes(source)) throw noList(source);
  if (typeof source === 'string' && AMBIGUOUS.test(source))
    throw new FormError(
      'input.form',
      '',
      'ambiguous: 64 digits are one number in decimal, or 32 bytes in hex: give a list, or write 0x before',
    );
  let content: Content;
  try {
    content = contentOf(source, SIGNALS_CODES);
  } catch (error) {
    if (error instanceof FormError && error.code === 'input.form') throw noList(source);
    throw error;
  }
  if ('bytes' in content) return content.bytes;
  if (Array.isArray(content.json)) return content.json;
  throw noList(content.json);
}

function noList(found: unknown): FormError {
  const others =
    isObject(found) && !isBytes(found)
      ? ', or an object with vkeyHash and publicValues (SP1), imageId and journal or claimDigest (RISC Zero)'
      : '';
  const expected = `expected an array of public signals${others}`;
  return new FormError(
    'input.form',
    '',
    `${expected}, got ${others === '' ? quoted(found) : 'another object'}`,
    true,
  );
}

/** Returns the words in bytes of any form; undefined for another number of them. */
function wordsIn(bytes: Uint8Array, count: number): Uint8Array | undefined {
  const words = [bytes, gnarkWitness(bytes), arkworksInputs(bytes)];
  return words.find((word) => word?.length === count * WORD_BYTES);
}
