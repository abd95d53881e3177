/** Value of each ASCII code as a hex digit, -1 for the rest. */
const DIGITS = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Writes the hex digits `text[start..end)`, of either case, into the bytes of `target` that end before `to`; the bytes
 * before them stay as they are. Unlike `Buffer.from(text, 'hex')` it does not stop silently at a bad digit, nor take
 * U+0130 for `0`.
 *
 * @returns Whether all were hex digits and fitted; when false, the content of `target` is undefined.
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
  let codes = 0;
  let values = 0;
  let index = start;
  let byte = to - ((digits + 1) >> 1);
  if (digits % 2 === 1) {
    const low = text.charCodeAt(index++);
    codes = low;
    values = digitValue(low);
    target[byte++] = values;
  }
  for (; index < end; index += 2) {
    const high = text.charCodeAt(index);
    const low = text.charCodeAt(index + 1);
    const value = (digitValue(high) << 4) | digitValue(low);
    codes |= high | low;
    values |= value;
    target[byte++] = value;
  }
  return values >= 0 && codes < DIGITS.length;
}

/** Value of the low byte of a character code as a hex digit, -1 if it is none. */
function digitValue(code: number): number {
  return DIGITS[code & 0xff] as number;
}

/** The two lower-case digits of each byte. */
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** `0x` and two lower-case hex digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}
