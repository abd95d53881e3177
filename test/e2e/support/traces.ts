/** Finds noted values in texts and files, in any of many encodings. */

/** A value by its bytes or its text. */
export type Noted = string | Uint8Array;

/** Values to look for. */
export interface Traces {
  /**
   * Notes a value. A long value is found by pieces of it, since a leak may be cut off.
   *
   * @param value - At least 8 bytes.
   */
  note(name: string, value: Noted): void;
  /** Returns the names of the noted values in the bytes, with their encoding, sorted. */
  in(bytes: Uint8Array | string): string[];
}

/** Length of a piece in bytes; no two values of a test share a piece. */
const PIECE = 12;
const PREFIX = 8;

/** Makes an empty register. */
export function createTraces(): Traces {
  const views = VIEWS.map((view) => ({ ...view, index: new Map<string, (readonly [string, string])[]>() }));
  return {
    note(name, value) {
      const bytes = Buffer.from(value);
      if (bytes.length < PREFIX)
        throw new Error(`expected at least ${PREFIX} bytes in ${name}, got ${bytes.length}`);
      const pieces = piecesOf(bytes);
      for (const { index, encodings } of views) {
        for (const [encoding, text] of pieces.flatMap((piece) => encodings(piece, bytes))) {
          const entry = [text, `${name} (${encoding})`] as const;
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
          for (const [encoding, name] of index.get(seen.slice(at, at + PREFIX)) ?? []) {
            if (seen.startsWith(encoding, at)) names.add(name);
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

type Encoding = readonly [name: string, text: string];

interface View {
  /** Normalizes a text before the comparison. */
  readonly see: (text: string) => string;
  /** Returns the encodings in which a piece of a value may appear. */
  readonly encodings: (piece: Buffer, whole: Buffer) => Encoding[];
}

const VIEWS: readonly View[] = [
  {
    see: (text) => text,
    encodings: (piece) => [
      ['bytes', piece.toString('latin1')],
      ['UTF-16', utf16(piece).toString('latin1')],
      ['UTF-16 of hex', utf16(Buffer.from(piece.toString('hex'))).toString('latin1')],
      ...base64Encodings(piece),
      ...base64Encodings(Buffer.from(piece.toString('hex'))),
      ...base64Encodings(Buffer.from(piece.toString('hex').toUpperCase())),
    ],
  },
  {
    see: (text) => text.toLowerCase(),
    encodings: (piece, whole) => [
      ['any case', piece.toString('latin1').toLowerCase()],
      ['hex', piece.toString('hex')],
      ['hex of hex', Buffer.from(piece.toString('hex')).toString('hex')],
      ...decimalEncodings(whole),
    ],
  },
  {
    // an array of bytes as an inspector or JSON prints it
    see: (text) => text.toLowerCase().replace(/[\s"]/g, ''),
    encodings: (piece) => [
      ['listed', [...piece].join(',')],
      ['listed in hex', piece.toString('hex')],
      ['members', [...piece].map((byte, index) => `${index}:${byte}`).join(',')],
    ],
  },
];

/** Returns the first and the last digits of a field element. */
function decimalEncodings(whole: Buffer): Encoding[] {
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

/** Returns the base64 characters, in both alphabets and at three alignments, that a piece alone determines. */
function base64Encodings(piece: Buffer): Encoding[] {
  return (['base64', 'base64url'] as const).flatMap((alphabet) =>
    [0, 1, 2].map((shift): Encoding => {
      const bytes = Buffer.concat([Buffer.alloc(shift), piece]);
      const encoded = bytes.toString(alphabet).replaceAll('=', '');
      return [alphabet, encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor((bytes.length * 8) / 6))];
    }),
  );
}
