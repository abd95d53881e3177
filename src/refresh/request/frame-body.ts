// A check of multipart bodies before the library reads them: the library accepts bodies that other parsers split
// differently, and a signature depends on the parts.
import { ServiceError } from '../../errors/service-error.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// Parsers disagree on whether a quoted text that ends with a backslash is closed.
const QUOTED = '"((?:[^"]*[^"\\\\])?)"';
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?`, 'y');
const REST = /[ \t]*/y;
/** Clients send up to three; each costs microseconds of the main thread, here and in the library. */
const MAX_PARAMETERS = 16;

/**
 * Reads the parameters `;name=value` of a header value, in the form on which all parsers agree: tokens, or quoted texts
 * without escaped quotes.
 *
 * @param start - Index at which the parameters begin, after the type.
 * @returns Values by lower-case name, quoted ones as written between the quotes; undefined if a parameter is malformed
 *   or repeated, or there are more than 16, including empty ones.
 */
function readParameters(text: string, start: number): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  let end = start;
  let count = 0;
  PARAMETER.lastIndex = start;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    end = PARAMETER.lastIndex;
    count++;
    if (count > MAX_PARAMETERS) return undefined;
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (values.has(key)) return undefined;
    values.set(key, token ?? quoted ?? '');
  }
  REST.lastIndex = end;
  REST.test(text);
  return REST.lastIndex === text.length ? values : undefined;
}

/**
 * Creates the refusal of a body that two parsers could interpret differently; `reason` states the place and the fault,
 * without a value.
 */
export function malformed(reason: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('refresh.malformed_body', reason, {}, options);
}

const MEDIA_TYPE = /^[ \t]*multipart\/form-data(?=[ \t;]|$)/i;

// RFC 2046 section 5.1.1
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * Returns the boundary of a `multipart/form-data` header, which may be a token or quoted, without escapes.
 *
 * @throws ServiceError `refresh.malformed_body`
 */
export function boundaryOf(contentType: string): string {
  const type = MEDIA_TYPE.exec(contentType)?.[0];
  if (type === undefined) throw malformed('Content-Type: expected multipart/form-data');
  const parameters = readParameters(contentType, type.length);
  if (parameters === undefined) throw malformed('Content-Type: a parameter is malformed or repeated');
  const boundary = parameters.get('boundary');
  if (boundary === undefined) throw malformed('Content-Type: the boundary is missing');
  if (!BOUNDARY.test(boundary)) throw malformed('Content-Type: the boundary is not of the form of RFC 2046');
  return boundary;
}

const FOLD = /\r\n(?=[ \t])/g;
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const FORM_DATA = /^form-data(?=[ \t;]|$)/i;
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);
/** Headers that must not be repeated: it would be ambiguous which one counts. */
const SINGLE: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-type',
  'content-transfer-encoding',
]);

/**
 * Refuses headers of a part that the library and other parsers could interpret differently, or that the library would
 * silently drop: RFC 7578 sections 4.2 to 4.8. Other headers are ignored, as there.
 *
 * @param block - The header lines with CRLF between them, one character per byte.
 * @param where - Names the part for the message.
 * @throws ServiceError `refresh.malformed_body`
 */
function checkPartHeaders(block: string, where: string): void {
  const headers = readHeaders(block, where);
  const disposition = headers.get('content-disposition') ?? '';
  const type = FORM_DATA.exec(disposition)?.[0];
  if (type === undefined) throw malformed(`${where}: expected Content-Disposition: form-data`);
  checkName(readParameters(disposition, type.length), where);
  // some parsers would use its parts as values, others its text
  if (/^multipart\//i.test(headers.get('content-type') ?? ''))
    throw malformed(`${where}: a multipart within the form is not taken`);
  const encoding = headers.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && !IDENTITY_ENCODINGS.has(encoding))
    throw malformed(`${where}: Content-Transfer-Encoding must leave the bytes as they are`);
}

function readHeaders(block: string, where: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of block.replace(FOLD, '').split('\r\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '') throw malformed(`${where}: a header line is malformed`);
    const key = name.toLowerCase();
    if (!SINGLE.has(key)) continue;
    if (headers.has(key)) throw malformed(`${where}: a header came twice`);
    headers.set(key, value);
  }
  return headers;
}

function checkName(parameters: ReadonlyMap<string, string> | undefined, where: string): void {
  if (parameters === undefined) throw malformed(`${where}: Content-Disposition is malformed`);
  const name = parameters.get('name');
  if (name === undefined) throw malformed(`${where}: the name is missing`);
  // name*=utf-8''… and name*0=… would be a second name; filename*=…, which some clients send with filename,
  // is ignored
  const isExtended = [...parameters.keys()].some((key) => key.startsWith('name*'));
  if (isExtended || name.includes('\\')) throw malformed(`${where}: the name must be plain text`);
}

/** A body whose boundaries have been checked. */
export interface FramedBody {
  /** From the first delimiter to the end of the closing one; a view, not a copy. */
  readonly bytes: Buffer;
  readonly partCount: number;
}

/** Maximum number of parts of a form, including unknown ones (spec/refresh.md#multipart-syntax). */
const MAX_PARTS = 64;
/**
 * Maximum bytes of the headers of one part: enough for a file name, and far below the size at which the library would
 * silently cut them. A body may have 64 such blocks, and parsing them is the most expensive step for a body whose
 * sender is not authenticated yet.
 */
const MAX_HEADER_BYTES = 1024;

const CRLF = '\r\n';
const HEADERS_END = '\r\n\r\n';

/**
 * Checks the delimiters and part headers of a body by RFC 2046 section 5.1 and RFC 7578, so that the library gets only
 * bodies that all parsers split alike: by itself it treats any bytes after a delimiter as a header line, and drops
 * parts without an error. Text before the first and after the closing delimiter is ignored, as RFC 2046 requires.
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

// RFC 2046 allows any text after the closing delimiter; a delimiter there would be one more part for some parsers.
function checkEpilogue(bytes: Buffer, start: number, delimiter: Buffer): void {
  const isEnd = start === bytes.length || startsAt(bytes, start, CRLF);
  if (!isEnd) throw malformed('body: the closing boundary is not followed by a line end');
  if (bytes.indexOf(delimiter, start) !== -1) throw malformed('body: it goes on after its closing boundary');
}

function startsAt(bytes: Buffer, index: number, text: string): boolean {
  return bytes.toString('latin1', index, index + text.length) === text;
}
