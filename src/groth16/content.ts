import { byteCount, fromBase64, isBytes } from '../bytes.ts';
import { decodeText, parseJsonText } from '../json.ts';
import { writeHex } from '../semaphore/hex.ts';
import { type FormCode, FormError, quoted } from './layout.ts';

/** Maximum characters or bytes of a text: many times those of a key with 1,024 inputs. */
const MAX_TEXT = 4_194_304;
/** Maximum characters of hex digits or base64: twice those of a processed key of arkworks with 1,024 inputs. */
const MAX_DIGITS = 524_288;
const JSON_START = /^\s*["[{]/;
const PREFIXED_HEX = /^0[xX][0-9a-fA-F]+$/;
const LIST_START = /^\s*[[{]/;
/** First bytes of JSON in UTF-8 or UTF-16: white space, a quote, a bracket, a byte order mark, or zero. */
const TEXT_STARTS: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5b, 0x7b, 0xef, 0xfe, 0xff, 0x00,
]);
const HEX = /^(?:0[xX])?([0-9a-fA-F]*)$/;

/** Codes of a text or of bytes that have none of these, or are longer than any. */
export interface ContentCodes {
  readonly form: FormCode;
  readonly length: FormCode;
  /** What is read, such as `a key`, for messages. */
  readonly what: string;
}

/** Whether bytes may be JSON, by the first. */
export function mayBeText(bytes: Uint8Array): boolean {
  const [first] = bytes;
  return first !== undefined && TEXT_STARTS.has(first);
}

/** What a text or a file has: a JSON value, or bytes. */
export type Content = { readonly json: unknown } | { readonly bytes: Uint8Array };

/**
 * Returns what a text or the bytes of a file have: JSON (as UTF-8 or UTF-16, with or without byte order mark), bytes as
 * hex digits, with or without `0x`, or as base64, or other bytes as they are. Any other value is JSON as it is.
 *
 * @throws FormError with a code of `codes`
 */
export function contentOf(source: unknown, codes: ContentCodes): Content {
  if (typeof source === 'string') return contentOfText(source, codes);
  if (!isBytes(source)) return { json: source };
  const length = byteCount(source);
  // Those of a detached buffer, which cannot be copied.
  if (length === 0) throw new FormError(codes.length, '', `expected ${codes.what}, got no bytes`);
  if (length > MAX_TEXT)
    throw new FormError(
      codes.length,
      '',
      `expected ${codes.what} of at most ${MAX_TEXT} bytes, got ${length}`,
    );
  // A copy: the caller may change the bytes, and its own `length` or `slice` are not those of the array.
  const bytes = new Uint8Array(source);
  // Decoding is for text alone: a failure takes as long as reading a proof.
  const text = mayBeText(bytes) ? decodeText(bytes) : undefined;
  if (text === undefined || !JSON_START.test(text)) return { bytes };
  let json: unknown;
  try {
    json = parsed(text);
  } catch {
    // Almost any bytes are UTF-16, and many small numbers, of which most bytes are zero, are UTF-8.
    const isUtf16 = text.length <= bytes.length / 2;
    if (isUtf16 || text.includes('\0') || !LIST_START.test(text)) return { bytes };
    throw new FormError(
      codes.form,
      '',
      `expected ${codes.what} as JSON, got ${quoted(text)}, which does not parse`,
    );
  }
  return typeof json === 'string' ? contentOfDigits(json, codes) : { json };
}

function contentOfText(source: string, codes: ContentCodes): Content {
  if (source.length > MAX_TEXT)
    throw new FormError(
      codes.form,
      '',
      `expected ${codes.what} of at most ${MAX_TEXT} characters, got ${source.length}`,
    );
  const text = source.replace(/^\ufeff/, '');
  if (!JSON_START.test(text)) return contentOfDigits(text, codes);
  let json: unknown;
  try {
    json = parsed(text);
  } catch {
    throw new FormError(
      codes.form,
      '',
      `expected ${codes.what} as JSON, got ${quoted(source)}, which does not parse`,
    );
  }
  return typeof json === 'string' ? contentOfDigits(json, codes) : { json };
}

/** Decodes hex digits or base64. */
function contentOfDigits(text: string, codes: ContentCodes): Content {
  const trimmed = text.trim();
  if (trimmed.length > MAX_DIGITS)
    throw new FormError(
      codes.form,
      '',
      `expected ${codes.what} of at most ${MAX_DIGITS} digits, got ${trimmed.length}: ${quoted(trimmed)}`,
    );
  const bytes = hexBytes(trimmed) ?? fromBase64(trimmed);
  if (bytes !== undefined && bytes.length > 0) return { bytes };
  if (PREFIXED_HEX.test(trimmed)) {
    const expected = `expected ${codes.what} with two hex digits for each byte`;
    throw new FormError(codes.form, '', `${expected}, got ${trimmed.length - 2} digits in ${quoted(text)}`);
  }
  throw new FormError(
    codes.form,
    '',
    `expected ${codes.what} as JSON, hex digits or base64, got ${quoted(text)}`,
  );
}

/**
 * Parses JSON, or the elements of an array without its brackets, as `snarkjs zkey export soliditycalldata` prints them. A
 * text in the text is parsed, too.
 */
function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    if (!text.trimStart().startsWith('[')) throw error;
    value = parseJsonText(`[${text}]`);
  }
  return typeof value === 'string' && JSON_START.test(value) ? parseJsonText(value) : value;
}

function hexBytes(text: string): Uint8Array | undefined {
  const digits = HEX.exec(text)?.[1];
  if (digits === undefined || digits.length % 2 === 1) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  return writeHex(digits, 0, digits.length, bytes) ? bytes : undefined;
}
