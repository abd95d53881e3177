import { checkPartHeaders } from './check-part-headers.ts';
import { malformed } from './header-parameters.ts';

/** A body whose boundaries were judged. */
export interface FramedBody {
  /** From the first delimiter to the end of the closing one; a view, no copy. */
  readonly bytes: Buffer;
  readonly partCount: number;
}

/** Most parts of a form, unknown ones counted (spec/refresh.md#multipart-syntax). */
const MAX_PARTS = 64;
/**
 * Most bytes of the headers of one part: room for a file name, far below what the library would cut in silence. A body
 * has 64 of them, and reading them is the dearest part of a body that is not proved to be anybody's yet.
 */
const MAX_HEADER_BYTES = 1024;

const CRLF = '\r\n';
const HEADERS_END = '\r\n\r\n';

/**
 * Judges delimiters and part headers of a body by RFC 2046 section 5.1 and RFC 7578, so that the library meets only
 * what it reads as everybody does: left alone it takes whatever follows a delimiter for a header line, and leaves out
 * parts without an error. Text before the first and after the closing delimiter is left out, as RFC 2046 asks.
 *
 * @throws ServiceError `refresh.malformed_body`
 */
export function frameBody(body: Uint8Array, boundary: string): FramedBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = Buffer.from(`${CRLF}--${boundary}`);
  const first = findFirst(bytes, delimiter);
  let partCount = 0;
  for (let at = first; ; ) {
    const after = at + delimiter.length;
    if (startsAt(bytes, after, '--')) {
      checkEpilogue(bytes, after + 2, delimiter);
      return { bytes: bytes.subarray(first + CRLF.length, after + 2), partCount };
    }
    if (!startsAt(bytes, after, CRLF)) throw malformed('body: a boundary is not followed by a line end');
    if (partCount === MAX_PARTS) throw malformed(`body: expected at most ${MAX_PARTS} parts`);
    partCount++;
    const next = bytes.indexOf(delimiter, after);
    if (next === -1) throw malformed('body: it ends before its closing boundary');
    checkHeaders(bytes.subarray(after, next), `part ${partCount}`);
    at = next;
  }
}

/** Index of the first delimiter; -2 at the very start, where the line end before it is left out. */
function findFirst(bytes: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(CRLF.length);
  if (bytes.subarray(0, bare.length).equals(bare)) return -CRLF.length;
  const first = bytes.indexOf(delimiter);
  if (first === -1) throw malformed('body: the boundary of Content-Type is not in it');
  return first;
}

/** @param part - From the line end after a delimiter to the next delimiter. */
function checkHeaders(part: Buffer, where: string): void {
  const end = part.indexOf(HEADERS_END);
  if (end === -1) throw malformed(`${where}: its headers do not end`);
  if (end > MAX_HEADER_BYTES)
    throw malformed(`${where}: expected at most ${MAX_HEADER_BYTES} bytes of headers`);
  checkPartHeaders(part.toString('latin1', CRLF.length, Math.max(end, CRLF.length)), where);
}

// RFC 2046 lets anything follow the closing delimiter; a delimiter there would be one more part for some readers.
function checkEpilogue(bytes: Buffer, start: number, delimiter: Buffer): void {
  const isEnd = start === bytes.length || startsAt(bytes, start, CRLF);
  if (!isEnd) throw malformed('body: the closing boundary is not followed by a line end');
  if (bytes.indexOf(delimiter, start) !== -1) throw malformed('body: it goes on after its closing boundary');
}

function startsAt(bytes: Buffer, index: number, text: string): boolean {
  return bytes.toString('latin1', index, index + text.length) === text;
}
