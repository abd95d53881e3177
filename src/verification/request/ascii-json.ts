const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_PRINTABLE = 0x7e;
const DIGIT_0 = 0x30;
const SMALL_X = 0x78;
const WORD_BYTES = 32;
const NOTHING = Buffer.alloc(0);
const WORD_DIGITS = 64;
/** Enough for every number below 2⁵³ that this reader is asked for, and too few to leave the safe integers. */
const MAX_NUMBER_DIGITS = 9;

/** Value of each byte as a hex digit, -1 for the rest. */
const HEX = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  HEX[digit.charCodeAt(0)] = value;
  HEX[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Whether the hex digits of a word may be without `0x` before them. */
export type WordPrefix = 'optional' | 'required';

/**
 * Reads the bytes of a JSON text from left to right, without making a text of them. It knows printable ASCII only: a
 * method that meets anything else, an escape for instance, gives false, and whoever asked leaves the text to a reader
 * that knows all of JSON. No method reads on after a false.
 */
export class AsciiJson {
  #bytes: Buffer = NOTHING;
  #at = 0;
  /** Where the text of the last `string` or `word` began and ended, without its quotation marks. */
  start = 0;
  end = 0;

  /** Begins with other bytes. */
  begin(bytes: Uint8Array): void {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
  }

  /** Lets go of the bytes. */
  finish(): void {
    this.#bytes = NOTHING;
  }

  /** Whether the next character is this one, which is then taken. */
  take(character: number): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  /** Whether nothing follows. */
  isAtEnd(): boolean {
    return this.#peek() === undefined;
  }

  /** Takes a string; its place is in `start` and `end`. */
  string(): boolean {
    if (!this.take(QUOTE)) return false;
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === undefined || byte < SPACE || byte > LAST_PRINTABLE || byte === BACKSLASH) return false;
      at++;
    }
    this.start = start;
    this.end = at;
    this.#at = at + 1;
    return true;
  }

  /** Whether the last string is this one. */
  is(text: string): boolean {
    const { start } = this;
    if (this.end - start !== text.length) return false;
    const bytes = this.#bytes;
    for (let index = 0; index < text.length; index++) {
      if (bytes[start + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  /** The last string as text; `likely` itself where it is that, which spares a copy and its hash. */
  text(likely = ''): string {
    return this.is(likely) ? likely : this.#bytes.toString('latin1', this.start, this.end);
  }

  /** Takes a string of `0x` and 1 to 64 hex digits of either case as 32 bytes from `offset` of the target on. */
  word(prefix: WordPrefix, target: Uint8Array, offset: number): boolean {
    if (!this.take(QUOTE)) return false;
    const bytes = this.#bytes;
    this.start = this.#at;
    let from = this.#at;
    if (bytes[from] === DIGIT_0 && bytes[from + 1] === SMALL_X) from += 2;
    else if (prefix === 'required') return false;
    let to = from + WORD_DIGITS;
    if (bytes[to] !== QUOTE) {
      to = bytes.indexOf(QUOTE, from);
      if (to <= from || to - from > WORD_DIGITS) return false;
    }
    this.end = to;
    this.#at = to + 1;
    return writeDigits(bytes, from, to, target, offset, WORD_BYTES);
  }

  /** Takes a string of `0x` and exactly `length` bytes in hex digits of either case. */
  hex(length: number, target: Uint8Array): boolean {
    if (!this.take(QUOTE)) return false;
    const bytes = this.#bytes;
    const from = this.#at + 2;
    const to = from + length * 2;
    if (bytes[from - 2] !== DIGIT_0 || bytes[from - 1] !== SMALL_X || bytes[to] !== QUOTE) return false;
    this.#at = to + 1;
    return writeDigits(bytes, from, to, target, 0, length);
  }

  /** Takes a whole number without sign, fraction or exponent; undefined for anything else. */
  number(): number | undefined {
    const first = this.#peek();
    const bytes = this.#bytes;
    const start = this.#at;
    let value = 0;
    let at = start;
    for (let digit = digitOf(first); digit >= 0; digit = digitOf(bytes[at])) {
      value = value * 10 + digit;
      at++;
    }
    const count = at - start;
    if (count === 0 || count > MAX_NUMBER_DIGITS || (count > 1 && first === DIGIT_0)) return undefined;
    // what may not follow a number (a fraction, an exponent) is what no caller expects next
    this.#at = at;
    return value;
  }

  /** The next byte that is not white space. */
  #peek(): number | undefined {
    const bytes = this.#bytes;
    let byte = bytes[this.#at];
    while (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB) {
      byte = bytes[++this.#at];
    }
    return byte;
  }
}

function digitOf(byte: number | undefined): number {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_0 + 9 ? byte - DIGIT_0 : -1;
}

/** Writes hex digits into the last of `length` bytes, zeros before them; false when one is no digit. */
function writeDigits(
  bytes: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  offset: number,
  length: number,
): boolean {
  let bad = 0;
  let at = from;
  let place = offset + length - ((to - from + 1) >> 1);
  for (let zero = offset; zero < place; zero++) target[zero] = 0;
  if ((to - from) % 2 === 1) {
    const value = HEX[bytes[at++] as number] as number;
    bad |= value;
    target[place++] = value;
  }
  while (at < to) {
    const value = ((HEX[bytes[at] as number] as number) << 4) | (HEX[bytes[at + 1] as number] as number);
    bad |= value;
    target[place++] = value;
    at += 2;
  }
  return bad >= 0;
}
