// Needed because uWebSockets.js accepts framing headers that RFC 9112 tells a server to refuse (see
// RequestHeaders).

/**
 * Framing error: `ambiguous` ends the connection without an answer, `malformed_length` is answered by
 * uWebSockets.js.
 */
export type FramingFault = 'ambiguous' | 'malformed_length';

/** What a request expects: to be asked for its body, or something that this service does not know. */
export type Expectation = 'continue' | 'unknown';

const SINGLE_HEADERS = ['host', 'authorization', 'content-type'] as const;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const KEEP_ALIVE = /^keep-alive$/i;
/**
 * The one control character other than tab that uWebSockets.js accepts in a value (RFC 9110 section 5.5
 * forbids it).
 */
const DELETE = '\x7f';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * Headers of a request, with the framing of its body and the state of its connection. uWebSockets.js uses the first of
 * several `Content-Length` headers and reads the rest of the body as a new request, and it treats any
 * `Transfer-Encoding` as chunked: behind a proxy that reads these differently, this allows request smuggling. Maps are
 * built on first use, because most requests never need them.
 */
export class RequestHeaders {
  /** Declared length in bytes; undefined if not sent; the body is then empty unless it is chunked. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  /**
   * Whether this is the last request of its connection, for one of two reasons. The body is chunked:
   * uWebSockets.js skips the line end after the last chunk without checking it, and reads trailers as the next
   * request. Or `Connection` is anything but `keep-alive`: the library reads every value of five bytes as
   * `close`, closes the connection within a call of this service once a large answer is written, and then
   * delivers the next request of the packet with a response in freed memory. It also ignores `close` in a
   * list, and other parsers may read what follows an upgrade as another protocol.
   */
  readonly isLastOfConnection: boolean;
  readonly framingFault: FramingFault | undefined;
  /** Undefined without an `Expect` header, or with an empty one. */
  readonly expectation: Expectation | undefined;
  /** Name of a header that was sent more than once although no route allows that. */
  readonly repeated: string | undefined;
  /** Lower-case names and values, alternating. */
  readonly #all: string[] = [];
  #values: ReadonlyMap<string, string> | undefined;

  /**
   * @param forEach - Calls back once per header line, names in lower case.
   * @param authority - Takes the place of every `Host`.
   */
  constructor(forEach: (visit: (name: string, value: string) => void) => void, authority?: string) {
    const all = this.#all;
    // More than one of these ends the connection, so their number and the first value are enough.
    let length: string | undefined;
    let encoding: string | undefined;
    let expect = '';
    let lengths = 0;
    let encodings = 0;
    let isKeptAlive = true;
    let hasDelete = false;
    forEach((name, value) => {
      all.push(name, authority !== undefined && name === 'host' ? authority : value);
      hasDelete ||= value.includes(DELETE);
      if (name === 'content-length') {
        lengths++;
        length ??= value;
      } else if (name === 'transfer-encoding') {
        encodings++;
        encoding ??= value;
      } else if (name === 'expect') expect += `${value},`;
      else if (name === 'connection') isKeptAlive &&= KEEP_ALIVE.test(value);
    });
    const isAmbiguous = hasDelete || lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0);
    this.contentLength = length === undefined ? undefined : Number(length);
    this.isChunked = encodings > 0;
    this.isLastOfConnection = !isKeptAlive || this.isChunked;
    this.framingFault = isAmbiguous ? 'ambiguous' : framingFaultOf(length, encoding);
    this.expectation = expectationOf(expect);
    this.repeated = SINGLE_HEADERS.find((name) => this.#count(name) > 1);
  }

  /** First value of each header, by lower-case name; `cookie` has all of its lines (RFC 9113 section 8.2.3). */
  get values(): ReadonlyMap<string, string> {
    if (this.#values === undefined) {
      const values = new Map<string, string>();
      this.#each((name, value) => {
        const first = values.get(name);
        if (first === undefined) values.set(name, value);
        else if (name === 'cookie') values.set(name, `${first}; ${value}`);
      });
      this.#values = values;
    }
    return this.#values;
  }

  /** Lower-case names of headers that were sent more than once. */
  get repeatedNames(): ReadonlySet<string> {
    const seen = new Set<string>();
    const repeated = new Set<string>();
    this.#each((name) => (seen.has(name) ? repeated : seen).add(name));
    return repeated;
  }

  /** Returns the first value of a header. */
  get(name: string): string | undefined {
    const all = this.#all;
    for (let index = 0; index < all.length; index += 2) if (all[index] === name) return all[index + 1];
    return undefined;
  }

  /** Returns every value of a header, in the order of the request. */
  lines(name: string): readonly string[] {
    const lines: string[] = [];
    this.#each((other, value) => {
      if (other === name) lines.push(value);
    });
    return lines;
  }

  #count(name: string): number {
    const all = this.#all;
    let count = 0;
    for (let index = 0; index < all.length; index += 2) if (all[index] === name) count++;
    return count;
  }

  #each(visit: (name: string, value: string) => void): void {
    const all = this.#all;
    for (let index = 0; index < all.length; index += 2) visit(all[index] as string, all[index + 1] as string);
  }
}

/**
 * Returns whether text has only visible ASCII, as a request target must (RFC 3986 section 2); the library accepts more.
 */
export function isVisibleAscii(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}

/** Returns the trace id of a valid W3C `traceparent` header (version 00), for the log. */
export function traceIdOf(headers: { get(name: string): string | undefined }): string | undefined {
  const header = headers.get('traceparent');
  if (header === undefined) return undefined;
  const [, traceId = '', parentId = ''] = TRACEPARENT.exec(header) ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? traceId : undefined;
}

/** @param list - Elements with commas, empty ones included (RFC 9110 sections 5.6.1 and 10.1.1). */
function expectationOf(list: string): Expectation | undefined {
  if (list === '') return undefined;
  const elements = list.split(',').map((element) => element.trim().toLowerCase());
  const known = elements.filter((element) => element === '100-continue').length;
  if (known < elements.filter((element) => element !== '').length) return 'unknown';
  return known > 0 ? 'continue' : undefined;
}

function framingFaultOf(length: string | undefined, encoding: string | undefined): FramingFault | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'ambiguous';
  if (length === undefined || /^\d+$/.test(length)) return undefined;
  // uWebSockets.js reads an empty value as no body, and answers any other malformed one with 400.
  return length === '' ? 'ambiguous' : 'malformed_length';
}
