/** Fault of a request head that ends its connection without an answer, or that uWebSockets.js answers itself. */
export type FramingFault = 'ambiguous' | 'malformed_length';

const SINGLE_HEADERS = ['host', 'authorization', 'content-type'] as const;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * The headers of a request, and what they say of its body. They are read once, by the rules of operations.md section 6:
 * of several `Content-Length` uWebSockets.js follows the first and takes the rest of the body as a new request, and it
 * takes any `Transfer-Encoding` as chunked: behind a proxy that reads them differently this smuggles requests. Most
 * requests are served without another look at them, so that maps are made when somebody asks.
 */
export class RequestHeaders {
  /** Declared length in bytes; undefined when no length was sent, which is not an empty body if chunked. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
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
    forEach((name, value) => {
      all.push(name, value);
      if (name === 'content-length') {
        lengths++;
        length ??= value;
      } else if (name === 'transfer-encoding') {
        encodings++;
        encoding ??= value;
      }
    });
    const isAmbiguous = lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0);
    this.contentLength = length === undefined ? undefined : Number(length);
    this.isChunked = encodings > 0;
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
