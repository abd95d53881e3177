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
const NO_LINES: ReadonlyMap<string, readonly string[]> = new Map();
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
  let lines: Map<string, string[]> | undefined;
  // more than one of these ends the connection, so that the first is enough beside their number
  let lengths = 0;
  let encodings = 0;
  let repeatedNames: Set<string> | undefined;
  forEach((name, value) => {
    if (name === 'content-length') lengths++;
    else if (name === 'transfer-encoding') encodings++;
    else if (PROXY_HEADERS.has(name)) {
      lines ??= new Map();
      const known = lines.get(name);
      if (known === undefined) lines.set(name, [value]);
      else known.push(value);
    }
    if (!values.has(name)) values.set(name, value);
    else {
      repeatedNames ??= new Set();
      repeatedNames.add(name);
    }
  });
  const length = values.get('content-length');
  const isAmbiguous = lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0);
  return {
    values,
    lines: lines ?? NO_LINES,
    contentLength: length === undefined ? undefined : Number(length),
    isChunked: encodings > 0,
    framingFault: isAmbiguous ? 'ambiguous' : framingFaultOf(length, values.get('transfer-encoding')),
    repeatedNames: repeatedNames ?? NONE,
    repeated: repeatedNames === undefined ? undefined : firstSingle(repeatedNames),
  };
}

/** Trace id of a valid W3C `traceparent` header (version 00), for the log. */
export function traceIdOf(headers: ReadonlyMap<string, string>): string | undefined {
  const header = headers.get('traceparent');
  if (header === undefined) return undefined;
  const [, traceId = '', parentId = ''] = TRACEPARENT.exec(header) ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? traceId : undefined;
}

function firstSingle(repeatedNames: ReadonlySet<string>): string | undefined {
  for (const name of repeatedNames) if (SINGLE_HEADERS.has(name)) return name;
  return undefined;
}

function framingFaultOf(length: string | undefined, encoding: string | undefined): FramingFault | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'ambiguous';
  if (length === undefined || /^\d+$/.test(length)) return undefined;
  // An empty value counts as no body in uWebSockets.js; any other is refused by it with 400.
  return length === '' ? 'ambiguous' : 'malformed_length';
}
