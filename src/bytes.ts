/** Byte helpers for server and browser code; no Node API and no import. */

const encoder = new TextEncoder();
// A byte order mark stays in the text: two different byte strings never decode to one text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

// Getters of the prototype: an object may have members of these names, which a proxy or a subclass lets change.
const tagOf = getterOf(Symbol.toStringTag);
const lengthOf = getterOf('length');

function getterOf(name: PropertyKey): () => unknown {
  const prototype: unknown = Object.getPrototypeOf(Uint8Array.prototype);
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
}

/** Whether a value is a Uint8Array, of this realm or another; a proxy of one is not. */
export function isBytes(value: unknown): value is Uint8Array {
  return tagOf.call(value) === 'Uint8Array';
}

/** Returns how many bytes there are, whatever `length` the object has of its own; 0 if the buffer is detached. */
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

/** Whether two byte strings are equal; for public values, since the time depends on where they differ. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  // From the end: numbers are big-endian, and small ones differ only there.
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

/** Decodes standard base64 with padding; undefined for anything else, which `atob` alone would often accept. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Encodes bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
