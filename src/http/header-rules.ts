/** Fault of a request head that ends its connection without an answer, or that uWebSockets.js answers itself. */
export type FramingFault = 'ambiguous' | 'malformed_length';

/** The headers of a request, and what they say of its body. */
export interface RequestHeaders {
  /** Lower-case names; the first value of each. */
  readonly values: ReadonlyMap<string, string>;
  /** Every value of the headers that proxies add to, in the order of the request. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Declared length in bytes; undefined when no length was sent, which is not an empty body if chunked. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  readonly framingFault: FramingFault | undefined;
  /** Names of headers that were sent more than once. */
  readonly repeatedNames: ReadonlySet<string>;
  /** A header that must be single for every route and was sent more than once. */
  readonly repeated: string | undefined;
}

const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);
const PROXY_HEADERS: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-request-id']);
const NONE: ReadonlySet<string> = new Set();
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * Reads all headers once and applies the rules of operations.md section 6. Of several `Content-Length`
 * uWebSockets.js follows the first and takes the rest of the body as a new request, and it takes any
 * `Transfer-Encoding` as chunked: behind a proxy that reads them differently this smuggles requests.
 *
 * @param forEach - Calls back once per header line, names in lower case.
 */
export function readHeaders(forEach: (visit: (name: string, value: string) => void) => void): RequestHeaders {
  const values = new Map<string, string>();
  const lines = new Map<string, string[]>();
  const lengths: string[] = [];
  const encodings: string[] = [];
  let repeatedNames = NONE;
  forEach((name, value) => {
    if (name === 'content-length') lengths.push(value);
    else if (name === 'transfer-encoding') encodings.push(value);
    else if (PROXY_HEADERS.has(name)) lines.set(name, [...(lines.get(name) ?? []), value]);
    if (!values.has(name)) values.set(name, value);
    else repeatedNames = new Set(repeatedNames).add(name);
  });
  const [length] = lengths;
  return {
    values,
    lines,
    contentLength: length === undefined ? undefined : Number(length),
    isChunked: encodings.length > 0,
    framingFault: findFramingFault(lengths, encodings),
    repeatedNames,
    repeated: [...repeatedNames].find((name) => SINGLE_HEADERS.has(name)),
  };
}

/** Trace id of a valid W3C `traceparent` header (version 00), for the log. */
export function traceIdOf(headers: ReadonlyMap<string, string>): string | undefined {
  const match = TRACEPARENT.exec(headers.get('traceparent') ?? '');
  const [, traceId = '', parentId = ''] = match ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? traceId : undefined;
}

function findFramingFault(
  lengths: readonly string[],
  encodings: readonly string[],
): FramingFault | undefined {
  if (lengths.length > 1 || (lengths.length > 0 && encodings.length > 0)) return 'ambiguous';
  if (encodings.length > 1) return 'ambiguous';
  const [encoding] = encodings;
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'ambiguous';
  const [length] = lengths;
  if (length === undefined || /^\d+$/.test(length)) return undefined;
  // An empty value counts as no body in uWebSockets.js; any other is refused by it with 400.
  return length === '' ? 'ambiguous' : 'malformed_length';
}
