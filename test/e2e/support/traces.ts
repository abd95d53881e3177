/** Finds noted values again in texts and files, in whatever writing somebody may have put them there. */

/** A value by its bytes or its text. */
export type Noted = string | Uint8Array;

/** Values to look for. */
export interface Traces {
  /**
   * Notes a value. One that is long is found by pieces of it, since what leaks may be cut off.
   *
   * @param value - At least 8 bytes.
   */
  note(name: string, value: Noted): void;
  /** Names of the noted values that the bytes hold, with the writing, sorted. */
  in(bytes: Uint8Array | string): string[];
}

/** Bytes of a piece: no two values of a test share as many. */
const PIECE = 12;
const PREFIX = 8;

/** Makes an empty register. */
export function createTraces(): Traces {
  const views = VIEWS.map((view) => ({ ...view, index: new Map<string, (readonly [string, string])[]>() }));
  return {
    note(name, value) {
      const bytes = Buffer.from(value);
      if (bytes.length < PREFIX) throw new Error(`${name} is too short to be looked for`);
      const pieces = piecesOf(bytes);
      for (const { index, writings } of views) {
        for (const [writing, text] of pieces.flatMap((piece) => writings(piece, bytes))) {
          const entry = [text, `${name} (${writing})`] as const;
          const known = index.get(text.slice(0, PREFIX));
          if (known === undefined) index.set(text.slice(0, PREFIX), [entry]);
          else known.push(entry);
        }
      }
    },
    in(found) {
      const text = Buffer.from(found).toString('latin1');
      const names = new Set<string>();
      for (const { index, see } of views) {
        const seen = see(text);
        for (let at = 0; at + PREFIX <= seen.length; at++) {
          for (const [writing, name] of index.get(seen.slice(at, at + PREFIX)) ?? []) {
            if (seen.startsWith(writing, at)) names.add(name);
          }
        }
      }
      return [...names].sort();
    },
  };
}

function piecesOf(bytes: Buffer): Buffer[] {
  const last = bytes.length - PIECE;
  if (last <= 0) return [bytes];
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const start = Math.floor(last * part);
    return bytes.subarray(start, start + PIECE);
  });
}

type Writing = readonly [name: string, text: string];

interface View {
  /** What of a text is compared. */
  readonly see: (text: string) => string;
  /** How a piece of a value may stand there. */
  readonly writings: (piece: Buffer, whole: Buffer) => Writing[];
}

const VIEWS: readonly View[] = [
  {
    see: (text) => text,
    writings: (piece) => [
      ['bytes', piece.toString('latin1')],
      ['UTF-16', utf16(piece).toString('latin1')],
      ['UTF-16 of hex', utf16(Buffer.from(piece.toString('hex'))).toString('latin1')],
      ...base64Writings(piece),
      ...base64Writings(Buffer.from(piece.toString('hex'))),
      ...base64Writings(Buffer.from(piece.toString('hex').toUpperCase())),
    ],
  },
  {
    see: (text) => text.toLowerCase(),
    writings: (piece, whole) => [
      ['any case', piece.toString('latin1').toLowerCase()],
      ['hex', piece.toString('hex')],
      ['hex of hex', Buffer.from(piece.toString('hex')).toString('hex')],
      ...decimalWritings(whole),
    ],
  },
  {
    // an array of bytes as an inspector or JSON prints it
    see: (text) => text.toLowerCase().replace(/[\s"]/g, ''),
    writings: (piece) => [
      ['listed', [...piece].join(',')],
      ['listed in hex', piece.toString('hex')],
      ['members', [...piece].map((byte, index) => `${index}:${byte}`).join(',')],
    ],
  },
];

/** The digits of a field element, both ends of them. */
function decimalWritings(whole: Buffer): Writing[] {
  if (whole.length !== 32) return [];
  const digits = BigInt(`0x${whole.toString('hex')}`).toString();
  return [
    ['decimal', digits.slice(0, 20)],
    ['decimal', digits.slice(-20)],
  ];
}

function utf16(piece: Buffer): Buffer {
  return Buffer.from(piece.toString('latin1'), 'utf16le');
}

/** The characters of base64, in both alphabets, that a piece alone decides at each of three alignments. */
function base64Writings(piece: Buffer): Writing[] {
  return (['base64', 'base64url'] as const).flatMap((alphabet) =>
    [0, 1, 2].map((shift): Writing => {
      const bytes = Buffer.concat([Buffer.alloc(shift), piece]);
      const encoded = bytes.toString(alphabet).replaceAll('=', '');
      return [alphabet, encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor((bytes.length * 8) / 6))];
    }),
  );
}
