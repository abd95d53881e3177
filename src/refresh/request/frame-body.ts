// A check of multipart bodies before the library reads them: the library accepts bodies that other readers
// split differently, and a signature depends on the parts.

import { checkPartHeaders } from './check-part-headers.ts';
import { malformed } from './header-parameters.ts';

/** A body whose boundaries have been checked. */
export interface FramedBody {
  /** From the first delimiter to the end of the closing one; a view, not a copy. */
  readonly bytes: Buffer;
  readonly partCount: number;
}

/** Maximum number of parts of a form, including unknown ones (spec/refresh.md#multipart-syntax). */
const MAX_PARTS = 64;
/**
 * Maximum bytes of the headers of one part: enough for a file name, and far below the size at which the
 * library would silently cut them. A body may have 64 such blocks, and reading them is the most expensive
 * step for a body whose sender has not been authenticated yet.
 */
const MAX_HEADER_BYTES = 1024;

const CRLF = '\r\n';
const HEADERS_END = '\r\n\r\n';

/**
 * Checks the delimiters and part headers of a body by RFC 2046 section 5.1 and RFC 7578, so that the library
 * gets only bodies that all readers split alike: by itself it takes anything after a delimiter for a header
 * line, and drops parts without an error. Text before the first and after the closing delimiter is ignored,
 * as RFC 2046 requires.
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

/**
 * Returns the index of the first delimiter; -2 if the body begins with it, without the line end before it.
 */
function findFirst(bytes: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(CRLF.length);
  if (bytes.subarray(0, bare.length).equals(bare)) return -CRLF.length;
  const first = bytes.indexOf(delimiter);
  if (first === -1) throw malformed('body: the boundary of Content-Type is not in it');
  return first;
}

/** @param part - The bytes from the line end after a delimiter to the next delimiter. */
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
