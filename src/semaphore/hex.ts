/** Value of each ASCII code as a hex digit, -1 for the rest. */
const DIGITS = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

// Not Buffer.from(text, 'hex'): it stops in silence at a bad digit and takes U+0130 for '0'.
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 256 ? (DIGITS[code] ?? -1) : -1;
}

/**
 * Writes the hex digits `text[start..end)`, of either case, into the last bytes of `target`; the bytes before
 * them stay as they are.
 *
 * @returns Whether all were hex digits and fitted; when false, `target` holds nothing of meaning.
 */
export function writeHex(text: string, start: number, end: number, target: Uint8Array): boolean {
  const digits = end - start;
  if (digits < 1 || digits > target.length * 2) return false;
  let bad = 0;
  let byte = target.length - 1;
  let index = end - 1;
  for (; index > start; index -= 2) {
    const value = (digitAt(text, index - 1) << 4) | digitAt(text, index);
    bad |= value;
    target[byte--] = value;
  }
  if (index === start) {
    const value = digitAt(text, index);
    bad |= value;
    target[byte] = value;
  }
  return bad >= 0;
}

/** The two lower-case digits of each byte. */
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** `0x` and two lower-case hex digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}
