import { byteCount, fromBase64, isBytes } from '../bytes.ts';
import { decodeText, parseJsonText } from '../json.ts';
import { writeHex } from '../semaphore/hex.ts';
import { type FormCode, FormError, quoted } from './layout.ts';

/** Maximum characters or bytes of a text: many times those of a key with 1,024 inputs. */
const MAX_TEXT = 4_194_304;
const JSON_START = /^\s*["[{]/;
const PREFIXED_HEX = /^0[xX][0-9a-fA-F]+$/;
const HEX = /^(?:0[xX])?([0-9a-fA-F]*)$/;

/** Codes of a text or of bytes that have none of these, or are longer than any. */
export interface ContentCodes {
  readonly form: FormCode;
  readonly length: FormCode;
  /** What is read, such as `a key`, for messages. */
  readonly what: string;
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
  if (length > MAX_TEXT)
    throw new FormError(
      codes.length,
      '',
      `expected ${codes.what} of at most ${MAX_TEXT} bytes, got ${length}`,
    );
  // A copy: the caller may change the bytes, and its own `length` or `slice` are not those of the array.
  const bytes = new Uint8Array(source);
  const text = decodeText(bytes);
  if (text === undefined || !JSON_START.test(text)) return { bytes };
  try {
    return ofValue(parsed(text), codes);
  } catch (error) {
    if (error instanceof FormError) throw error;
    return { bytes };
  }
}

function contentOfText(source: string, codes: ContentCodes): Content {
  if (source.length > MAX_TEXT)
    throw new FormError(
      codes.form,
      '',
      `expected ${codes.what} of at most ${MAX_TEXT} characters, got ${source.length}`,
    );
  const text = source.replace(/^\ufeff/, '');
  if (JSON_START.test(text)) {
    let value: unknown;
    try {
      value = parsed(text);
    } catch {
      throw new FormError(
        codes.form,
        '',
        `expected ${codes.what} as JSON, got ${quoted(source)}, which does not parse`,
      );
    }
    return ofValue(value, codes);
  }
  return bytesOfText(text, codes);
}

/** Returns the content of a parsed JSON: a string has hex digits or base64. */
function ofValue(value: unknown, codes: ContentCodes): Content {
  return typeof value === 'string' ? bytesOfText(value, codes) : { json: value };
}

function bytesOfText(text: string, codes: ContentCodes): Content {
  const trimmed = text.trim();
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
