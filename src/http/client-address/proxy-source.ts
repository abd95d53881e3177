import { canonicalAddress } from '../../addresses.ts';
import type { Config } from '../../config/settings/types.ts';
import { addressFilter } from '../../config/values/address-block.ts';
import type { RequestHead } from '../exchange/exchange.ts';

/** Sender of a request, according to the connection and to trusted proxies. */
export interface RequestSource {
  /** Address of the client. */
  readonly address: string;
  /** Request id from a trusted proxy. */
  readonly requestId: string | undefined;
  /** Whether the connection must not carry another request. */
  readonly isLastOfConnection: boolean;
}

/** Reads the source of requests by the rules of spec/operations.md#client-address. */
export interface SourceReader {
  /** Whether `RequestHead.proxied` is to be read. */
  readonly readsProxyProtocol: boolean;
  read(head: RequestHead): RequestSource;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
// More proxies than any deployment has; without a bound, a client at a trusted address could make the service
// read thousands.
const MAX_HOPS = 32;

/**
 * Creates the reader. uWebSockets.js accepts a PROXY protocol header, version 2, before any request of any
 * connection, and the last one counts: behind a proxy that forwards bytes, a client could change its address
 * with its second request. Therefore a connection from a trusted proxy serves one request if
 * `proxy.protocolV2` is set.
 */
export function createSourceReader({ trusted, header, protocolV2 }: Config['proxy']): SourceReader {
  const isTrusted = addressFilter(trusted);
  // Without trusted proxies the peer address is not needed up front, so it is read only when used.
  if (trusted.length === 0) {
    return { readsProxyProtocol: protocolV2, read: (head) => new DirectSource(head) };
  }
  return {
    readsProxyProtocol: protocolV2,
    read({ peer, proxied, headers }) {
      const isLastOfConnection = protocolV2 && isTrusted(peer);
      const sender = isLastOfConnection && proxied !== undefined ? proxied : peer;
      if (!isTrusted(sender)) return { address: sender, requestId: undefined, isLastOfConnection };
      const lines = header === 'none' ? [] : headers.lines(header);
      const hops = header === 'none' ? [] : hopsFromLast(header, lines);
      return {
        address: walk(sender, hops, isTrusted),
        requestId: requestIdOf(headers.lines('x-request-id')),
        isLastOfConnection,
      };
    },
  };
}

/** Source of a request whose peer is the client. */
class DirectSource implements RequestSource {
  readonly requestId = undefined;
  readonly isLastOfConnection = false;
  readonly #head: RequestHead;

  constructor(head: RequestHead) {
    this.#head = head;
  }

  get address(): string {
    return this.#head.peer;
  }
}

/**
 * Returns the first untrusted address on the way from the sender through the hops, or the last address if all are
 * trusted.
 */
function walk(sender: string, hops: Iterable<string>, isTrusted: (address: string) => boolean): string {
  let address = sender;
  let count = 0;
  for (const hop of hops) {
    address = hop;
    if (++count === MAX_HOPS || !isTrusted(hop)) break;
  }
  return address;
}

/** Returns the request id; undefined if it was sent more than once, since one may come from the client. */
function requestIdOf([id, ...more]: readonly string[]): string | undefined {
  return id !== undefined && more.length === 0 && REQUEST_ID.test(id) ? id : undefined;
}

/** Headers in which a proxy names the client; the configuration trusts at most one. */
type ProxyHeader = 'forwarded' | 'x-forwarded-for';

// RFC 9110 section 5.6.2 and 5.6.4
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const SPACE = '[ \\t]*';
// RFC 7239 section 4, which allows no space around `;`; some proxies write one.
const PAIR = `${TOKEN}=(?:${TOKEN}|${QUOTED})`;
const ELEMENT = `${PAIR}(?:${SPACE};${SPACE}${PAIR})*`;
/**
 * Matched from the end: text that the client wrote before it, such as an open quote, cannot change the element of the
 * proxy.
 */
const LAST_ELEMENT = new RegExp(`(?:^|,)${SPACE}(${ELEMENT})${SPACE}$`);
const PAIRS = new RegExp(`(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g');
// RFC 7239 section 6: IPv6 in brackets; the port is a number or an obfuscated one.
const NODE = /^(?:\[([0-9A-Fa-f:.]+)\]|(\d+(?:\.\d+){3}))(?::(?:\d{1,5}|_[A-Za-z0-9._-]+))?$/;
const PLAIN_HOP = /^(?:\[([0-9A-Fa-f:.]+)\](?::\d{1,5})?|(\d+(?:\.\d+){3})(?::\d{1,5})?|([0-9A-Fa-f:.]+))$/;

/**
 * Yields the addresses that proxies wrote into a header, last hop first. Stops at the first element without
 * an address (malformed, `unknown` or obfuscated), since nothing is known about the elements before it.
 *
 * @param lines - Values of all header lines with the name, in the order of the request.
 */
export function* hopsFromLast(header: ProxyHeader, lines: readonly string[]): Generator<string, void> {
  const hopsOfLine = header === 'forwarded' ? forwardedHops : plainHops;
  for (const line of lines.toReversed()) {
    for (const hop of hopsOfLine(line)) {
      if (hop === undefined) return;
      yield hop;
    }
  }
}

function* plainHops(line: string): Generator<string | undefined> {
  for (const element of line.split(',').reverse()) {
    const [, bracketed, ipv4, bare] = PLAIN_HOP.exec(element.trim()) ?? [];
    yield addressOf(bracketed, ipv4 ?? bare);
  }
}

function* forwardedHops(line: string): Generator<string | undefined> {
  let rest = line;
  while (rest !== '') {
    const match = LAST_ELEMENT.exec(rest);
    yield match?.[1] === undefined ? undefined : forwardedHop(match[1]);
    rest = rest.slice(0, match?.index ?? 0);
  }
}

function forwardedHop(element: string): string | undefined {
  const pairs = [...element.matchAll(PAIRS)].filter(([, name]) => name?.toLowerCase() === 'for');
  const value = pairs[0]?.[2];
  if (value === undefined || pairs.length > 1) return undefined;
  const node = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  const [, bracketed, ipv4] = NODE.exec(node) ?? [];
  return addressOf(bracketed, ipv4);
}

function addressOf(bracketed: string | undefined, other: string | undefined): string | undefined {
  if (bracketed === undefined) return other === undefined ? undefined : canonicalAddress(other);
  return bracketed.includes(':') ? canonicalAddress(bracketed) : undefined;
}
