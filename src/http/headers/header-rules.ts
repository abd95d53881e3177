// Our own rules: uWebSockets.js takes framing headers that RFC 9112 tells a server to refuse (see RequestHeaders).

/** Fault of a request head that ends its connection without an answer, or that uWebSockets.js answers itself. */
export type FramingFault = 'ambiguous' | 'malformed_length';

const SINGLE_HEADERS = ['host', 'authorization', 'content-type'] as const;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const KEEP_ALIVE = /^keep-alive$/i;
/** The one control character that uWebSockets.js lets through in a value (RFC 9110 section 5.5 has none but tab). */
const DELETE = '\x7f';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * The headers of a request, and what they say about its body and its connection. uWebSockets.js follows the first of
 * several `Content-Length` and takes the rest of the body as a new request, and it takes any `Transfer-Encoding` as
 * chunked: behind a proxy that reads them differently this smuggles requests. Most requests are served without another
 * look at their headers, so maps are built on first use.
 */
export class RequestHeaders {
  /** Declared length in bytes; undefined when no length was sent, which is not an empty body if chunked. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  /**
   * Whether this is the last request of its connection. Its body is chunked: the library drops the line end after the
   * last chunk unread and takes trailers for the next request. Or `Connection` says anything but `keep-alive`: the
   * library takes every value of five bytes for `close`, closes the connection within a call of ours once a large answer
   * is written, and calls us with what follows in the packet, whose response then is of freed memory; of a list with
   * `close` it takes no notice, and what follows an upgrade may be of another protocol to other parsers.
   */
  readonly isLastOfConnection: boolean;
  readonly framingFault: FramingFault | undefined;
  /** A header that must be single for every route and was sent more than once. */
  readonly repeated: string | undefined;
  /** Names in lower case and values, in turns. */
  readonly #all: string[] = [];
  #values: ReadonlyMap<string, string> | undefined;

  /** @param forEach - Calls back once per header line, names in lower case. */
  constructor(forEach: (visit: (name: string, value: string) => void) => void) {
    const all = this.#all;
    // more than one of these ends the connection, so that the first is enough beside their number
    let length: string | undefined;
    let encoding: string | undefined;
    let lengths = 0;
    let encodings = 0;
    let isKeptAlive = true;
    let hasDelete = false;
    forEach((name, value) => {
      all.push(name, value);
      hasDelete ||= value.includes(DELETE);
      if (name === 'content-length') {
        lengths++;
        length ??= value;
      } else if (name === 'transfer-encoding') {
        encodings++;
        encoding ??= value;
      } else if (name === 'connection') isKeptAlive &&= KEEP_ALIVE.test(value);
    });
    const isAmbiguous = hasDelete || lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0);
    this.contentLength = length === undefined ? undefined : Number(length);
    this.isChunked = encodings > 0;
    this.isLastOfConnection = !isKeptAlive || this.isChunked;
    this.framingFault = isAmbiguous ? 'ambiguous' : framingFaultOf(length, encoding);
    this.repeated = SINGLE_HEADERS.find((name) => this.#count(name) > 1);
  }

  /** Lower-case names; the first value of each. */
  get values(): ReadonlyMap<string, string> {
    if (this.#values === undefined) {
      const values = new Map<string, string>();
      this.#each((name, value) => {
        if (!values.has(name)) values.set(name, value);
      });
      this.#values = values;
    }
    return this.#values;
  }

  /** Names of headers that were sent more than once. */
  get repeatedNames(): ReadonlySet<string> {
    const seen = new Set<string>();
    const repeated = new Set<string>();
    this.#each((name) => (seen.has(name) ? repeated : seen).add(name));
    return repeated;
  }

  /** The first value of a header. */
  get(name: string): string | undefined {
    const all = this.#all;
    for (let index = 0; index < all.length; index += 2) if (all[index] === name) return all[index + 1];
    return undefined;
  }

  /** Every value of a header, in the order of the request. */
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

/** Whether a part of a request target holds only what a target may (RFC 3986 section 2); the library takes more. */
export function isVisibleAscii(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}

/** Trace id of a valid W3C `traceparent` header (version 00), for the log. */
export function traceIdOf(headers: { get(name: string): string | undefined }): string | undefined {
  const header = headers.get('traceparent');
  if (header === undefined) return undefined;
  const [, traceId = '', parentId = ''] = TRACEPARENT.exec(header) ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? traceId : undefined;
}

function framingFaultOf(length: string | undefined, encoding: string | undefined): FramingFault | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'ambiguous';
  if (length === undefined || /^\d+$/.test(length)) return undefined;
  // An empty value counts as no body in uWebSockets.js; any other is refused by it with 400.
  return length === '' ? 'ambiguous' : 'malformed_length';
}
