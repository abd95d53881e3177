import { addressFilter } from '../../config/index.ts';
import type { Config } from '../../config/settings/types.ts';
import type { RequestHead } from '../exchange/exchange.ts';
import { hopsFromLast } from './proxy-hops.ts';

/** Who sent a request, as far as the word of trusted proxies reaches. */
export interface RequestSource {
  /** Address of the client. */
  readonly address: string;
  /** The id that a trusted proxy gave the request. */
  readonly requestId: string | undefined;
  /** Whether its connection may carry no other request. */
  readonly isLastOfConnection: boolean;
}

/** Reads the source of requests by the rules of spec/operations.md#client-address. */
export interface SourceReader {
  /** Whether `RequestHead.proxied` is wanted. */
  readonly readsProxyProtocol: boolean;
  read(head: RequestHead): RequestSource;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
// No service stands behind so many proxies; without a bound a client among them could have thousands read.
const MAX_HOPS = 32;

/**
 * Makes the reader. uWebSockets.js takes a PROXY header of version 2 before any request of any connection, and the last
 * one counts: behind a proxy that passes bytes on, a client could name itself anew with its second request. A connection
 * from a trusted proxy therefore serves one request where `proxy.protocolV2` is set.
 */
export function createSourceReader({ trusted, header, protocolV2 }: Config['proxy']): SourceReader {
  const isTrusted = addressFilter(trusted);
  // Without trusted proxies nothing of a request depends on its peer, whose address then need not be read.
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

/** The other end of the connection is the client. */
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

/** The first address that is not trusted, or the last there is. */
function walk(sender: string, hops: Iterable<string>, isTrusted: (address: string) => boolean): string {
  let address = sender;
  let count = 0;
  for (const hop of hops) {
    address = hop;
    if (++count === MAX_HOPS || !isTrusted(hop)) break;
  }
  return address;
}

/** The id, unless it was sent more than once: then one may be the client's. */
function requestIdOf([id, ...more]: readonly string[]): string | undefined {
  return id !== undefined && more.length === 0 && REQUEST_ID.test(id) ? id : undefined;
}
