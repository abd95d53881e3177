import type { Config } from '../../config/settings/types.ts';
import { addressFilter } from '../../config/values/address-block.ts';
import type { RequestHead } from '../exchange/exchange.ts';
import { hopsFromLast } from './proxy-hops.ts';

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
