import { alone, becomes, EARLY_END, FRAMING_ENDS, LISTED, type Mutation, same } from './mutation.ts';
import { type Draw, formPart, pick, type RequestParts } from './request-parts.ts';

const BODY_LIMIT = 1_048_576;
const LENGTH = 'Content-Length';

/** Replaces the framing of the body. */
const framed = (request: RequestParts, frame: RequestParts['frame']): RequestParts => ({ ...request, frame });
/** Replaces the length headers of the body, possibly with wrong ones. */
const withLengthLines = (request: RequestParts, lines: (length: number) => readonly string[]): RequestParts =>
  framed(request, (body) => ({ lines: lines(body.length), bytes: body }));
const CHUNKED = 'Transfer-Encoding: chunked';

function chunksOf(body: Buffer, draw: Draw, largest: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + 1 + draw(largest));
    at += chunk.length;
    const size = chunk.length.toString(16);
    chunks.push(Buffer.from(`${pick([size, size.toUpperCase()], draw)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return chunks;
}

const END = Buffer.from('0\r\n\r\n');
const chunked = (
  request: RequestParts,
  draw: Draw,
  change: (chunks: Buffer[]) => readonly Uint8Array[],
): RequestParts =>
  framed(request, (body) => ({
    lines: [CHUNKED],
    bytes: Buffer.concat(change(chunksOf(body, draw, pick([7000, 70_000, 700_000], draw)))),
  }));

/** Grows the body to a length by an unknown part. */
function grownTo(request: RequestParts, length: number): RequestParts {
  const empty = { ...request, parts: [...request.parts, formPart('other', '')] };
  return {
    ...empty,
    editBody: (body, boundary) => {
      const close = body.lastIndexOf(`\r\n--${boundary}--`);
      return Buffer.concat([
        body.subarray(0, close),
        Buffer.alloc(length - body.length, 'x'),
        body.subarray(close),
      ]);
    },
  };
}

/** Mutations of the framing and size of the body. */
export const FRAMING_MUTATIONS: readonly Mutation[] = [
  same('chunks of any size', (request, draw) => chunked(request, draw, (chunks) => [...chunks, END])),
  same('chunked, in another letter case', (request, draw) =>
    framed(request, (body) => ({
      lines: [pick(['transfer-encoding: Chunked', 'Transfer-Encoding: CHUNKED'], draw)],
      bytes: Buffer.concat([...chunksOf(body, draw, 100_000), END]),
    })),
  ),
  same('chunks of a few bytes', (request, draw) =>
    framed(request, (body) => ({
      lines: [CHUNKED],
      bytes: Buffer.concat([
        ...chunksOf(body.subarray(0, 2000), draw, 5),
        ...chunksOf(body.subarray(2000), draw, 99_999),
        END,
      ]),
    })),
  ),
  same('packet boundaries anywhere after the first line', (request, draw) => ({
    ...request,
    cut: (bytes) => {
      const start = bytes.indexOf('\r\n') + 2;
      const ends = Array.from({ length: 1 + draw(6) }, () => start + draw(bytes.length - start)).sort(
        (a, b) => a - b,
      );
      return [0, ...ends].map((from, index) => bytes.subarray(from, ends[index] ?? bytes.length));
    },
  })),
  same('a length with leading zeros', (request) =>
    withLengthLines(request, (length) => [`${LENGTH}: 000${length}`]),
  ),
  alone(same('a body that fills its limit', (request) => grownTo(request, BODY_LIMIT))),
  alone(
    becomes('413 PAYLOAD_TOO_LARGE', 'a declared length above the limit', (request, draw) =>
      framed(request, () => ({
        lines: [`${LENGTH}: ${pick([BODY_LIMIT + 1, 2 * BODY_LIMIT, 10 ** 9, 10 ** 15], draw)}`],
        bytes: Buffer.alloc(0),
      })),
    ),
  ),
  alone(
    becomes(['413 PAYLOAD_TOO_LARGE', 'end'], 'chunks that exceed the limit', (request, draw) =>
      chunked(grownTo(request, BODY_LIMIT + 1 + draw(100_000)), draw, (chunks) => [...chunks, END]),
    ),
  ),
  becomes(EARLY_END, 'a connection that ends inside the body', (request, draw) =>
    framed(request, (body) => ({
      lines: [`${LENGTH}: ${body.length}`],
      bytes: body.subarray(0, pick([0, 1, draw(body.length), body.length - 1], draw)),
    })),
  ),
  becomes(EARLY_END, 'a declared length above that of the body', (request, draw) =>
    withLengthLines(request, (length) => [`${LENGTH}: ${length + 1 + draw(1000)}`]),
  ),
  becomes(
    ['200', '400 INVALID_REQUEST', ...FRAMING_ENDS],
    'a declared length below that of the body',
    (request, draw) =>
      withLengthLines(request, (length) => [`${LENGTH}: ${length - 1 - draw(pick([1, 10, 1000], draw))}`]),
  ),
  becomes(FRAMING_ENDS, 'a malformed length', (request, draw) =>
    withLengthLines(request, (length) => [
      `${LENGTH}: ${pick(['', '-1', '+5', '0x10', '1e3', `${length}.0`, `${length}, ${length}`, `${length} x`, 'abc', `"${length}"`], draw)}`,
    ]),
  ),
  becomes(['413 PAYLOAD_TOO_LARGE', ...FRAMING_ENDS], 'a length of many digits', (request, draw) =>
    withLengthLines(request, () => [
      `${LENGTH}: ${pick(['9'.repeat(18), '9'.repeat(30), '18446744073709551616', '9'.repeat(400)], draw)}`,
    ]),
  ),
  becomes('400 INVALID_REQUEST', 'no length', (request) =>
    framed(request, () => ({ lines: [], bytes: Buffer.alloc(0) })),
  ),
  becomes(['400 INVALID_REQUEST', ...FRAMING_ENDS], 'no length before a body', (request) =>
    withLengthLines(request, () => []),
  ),
  becomes('end', 'two lengths', (request, draw) =>
    withLengthLines(request, (length) => [
      `${LENGTH}: ${length}`,
      `${LENGTH}: ${pick([length, 0, length + 5], draw)}`,
    ]),
  ),
  becomes(FRAMING_ENDS, 'both a length and chunks', (request, draw) =>
    framed(request, (body) => ({
      lines: pick(
        [
          [CHUNKED, `${LENGTH}: ${body.length}`],
          [`${LENGTH}: 0`, CHUNKED],
        ],
        draw,
      ),
      bytes: Buffer.concat([...chunksOf(body, draw, 99_999), END]),
    })),
  ),
  becomes('end', 'an encoding that is not chunked', (request, draw) =>
    framed(request, (body) => ({
      lines: pick(
        [
          ['gzip'],
          ['xchunked'],
          ['gzip, chunked'],
          ['chunked', 'chunked'],
          ['chunked', 'identity'],
          ['identity'],
          [''],
          ['chunked;q=1'],
        ],
        draw,
      ).map((encoding) => `Transfer-Encoding: ${encoding}`),
      bytes: Buffer.concat([...chunksOf(body, draw, 99_999), END]),
    })),
  ),
  becomes(FRAMING_ENDS, 'chunks without an end', (request, draw) =>
    chunked(request, draw, (chunks) => pick([chunks, chunks.slice(0, -1)], draw)),
  ),
  // uWebSockets.js treats the size line of the last chunk as the end of the body
  becomes([...LISTED, ...FRAMING_ENDS], 'chunks without the final line break', (request, draw) =>
    chunked(request, draw, (chunks) => [...chunks, Buffer.from('0\r\n')]),
  ),
  becomes([...LISTED, ...FRAMING_ENDS], 'malformed chunks', (request, draw) =>
    chunked(request, draw, (chunks) => {
      const at = 3 * draw(chunks.length / 3);
      const size = pick(
        ['', 'g', '-1', '0x5', 'ffffffffffffffff', '100000000', ' 5', '5;a=b', '5 ', '00', '1', '\0'],
        draw,
      );
      return [...chunks.with(at, Buffer.from(`${size}\r\n`)), END];
    }),
  ),
  becomes([...LISTED, ...FRAMING_ENDS], 'chunk trailers and extensions', (request, draw) =>
    chunked(request, draw, (chunks) => [
      ...chunks,
      Buffer.from(pick(['0\r\nX-Own: v\r\n\r\n', '0;a=b\r\n\r\n', '0;a="b;c"\r\n\r\n', '000\r\n\r\n'], draw)),
    ]),
  ),
];
