/** Value of each UTF-16 code unit as a hex digit, otherwise -1. */
const DIGITS = new Int8Array(0x10000).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Writes the hex digits `text[start..end)`, of either case, into the bytes of `target` that end before `to`; the bytes
 * before those are unchanged. Unlike `Buffer.from(text, 'hex')`, it does not stop silently at a bad digit or accept
 * U+0130 as `0`.
 *
 * @returns Whether all were hex digits and fit; if false, the content of `target` is undefined.
 */
export function writeHex(
  text: string,
  start: number,
  end: number,
  target: Uint8Array,
  to: number = target.length,
): boolean {
  const digits = end - start;
  if (digits < 1 || digits > to * 2) return false;
  let bad = 0;
  let index = start;
  let byte = to - ((digits + 1) >> 1);
  if (digits % 2 === 1) {
    bad = digitAt(text, index++);
    target[byte++] = bad;
  }
  for (; index < end; index += 2) {
    const value = (digitAt(text, index) << 4) | digitAt(text, index + 1);
    bad |= value;
    target[byte++] = value;
  }
  return bad >= 0;
}

function digitAt(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? -1;
}

/** The two lower-case hex digits of each byte value. */
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns `0x` and two lower-case hex digits per byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

const SHORT_LENGTH = 10;

/**
 * Returns `0x` and the first 8 digits of a hex text that begins with `0x`: enough to distinguish roots in logs and
 * tables.
 */
export function shortHex(text: string): string {
  return text.slice(0, SHORT_LENGTH);
}
