/** Byte helpers for server and browser code; no Node API and no import. */

const encoder = new TextEncoder();
// A byte order mark is kept in the text: different byte strings never decode to the same text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

// Getters of the prototype: an object may have own members with these names, which a proxy or a subclass can change.
const tagOf = getterOf(Symbol.toStringTag);
const lengthOf = getterOf('length');

function getterOf(name: PropertyKey): () => unknown {
  const prototype: unknown = Object.getPrototypeOf(Uint8Array.prototype);
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
}

/** Whether a value is a Uint8Array, of any realm; false for a proxy of one. */
export function isBytes(value: unknown): value is Uint8Array {
  return tagOf.call(value) === 'Uint8Array';
}

/** Returns the number of bytes, ignoring an own `length` of the object; 0 if the buffer is detached. */
export function byteCount(bytes: Uint8Array): number {
  return lengthOf.call(bytes) as number;
}

/** Encodes a text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * Decodes UTF-8 and keeps a byte order mark.
 *
 * @throws TypeError for bytes that are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string {
  return decoder.decode(bytes);
}

/**
 * Whether two byte strings are equal; only for public values, since the time depends on the position of the difference.
 */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  // Compares from the end: numbers are big-endian, and small ones differ only there.
  for (let index = one.length - 1; index >= 0; index--) if (one[index] !== other[index]) return false;
  return true;
}

/** Joins byte strings. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Joins the chunks of a body as they arrive.
 *
 * @returns Undefined if there are more than `maxBytes`; the rest is not read then.
 */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    parts.push(chunk);
  }
  return joinBytes(parts);
}

/** Decodes standard base64 with padding; undefined for anything else; stricter than `atob`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64.test(text)) return undefined;
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let at = 0; at < decoded.length; at++) bytes[at] = decoded.charCodeAt(at);
  return bytes;
}

/** Encodes bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
