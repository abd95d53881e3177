/** The proxies of this process (spec/operations.md#egress-proxy). Apart from `outgoing.ts`: every command sets them, few call. */

/** A proxy through which calls leave. */
export interface EgressProxy {
  readonly isTls: boolean;
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`; a secret. */
  readonly authorization: string | undefined;
  /** Its address without user and password, for messages. */
  readonly name: string;
}

let findProxy: (url: URL) => EgressProxy | undefined = () => undefined;

/**
 * Has all later calls of this process leave through proxies: a process is in one network.
 *
 * @param find - Returns the proxy of an address; undefined for one that is called directly.
 */
export function useProxies(find: (url: URL) => EgressProxy | undefined): void {
  findProxy = find;
}

/** Returns the proxy of an address; undefined if it is called directly. */
export function proxyOf(url: string): EgressProxy | undefined {
  return findProxy(new URL(url));
}
