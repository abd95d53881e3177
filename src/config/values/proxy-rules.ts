import { isLocalHost, parseAddress } from '../../addresses.ts';
import type { EgressProxy } from '../../egress-proxies.ts';
import { addressFilter, parseAddressBlock } from './address-block.ts';

/** Proxies of outgoing calls (spec/operations.md#egress-proxy). */
export interface ProxyRules {
  /** Proxy of calls by http; undefined: direct. */
  readonly http: EgressProxy | undefined;
  /** Proxy of calls by https; undefined: direct. */
  readonly https: EgressProxy | undefined;
  /** Hosts that are called directly. */
  readonly exceptions: readonly string[];
}

/** An entry that sends calls of this machine through the proxy, too. */
const PROXY_LOCAL = '<-loopback>';
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Parses the address of a proxy: `http://user:password@host:port` or `https://…`, http if there is no scheme.
 *
 * @returns undefined for any other text.
 */
export function parseProxy(text: string): EgressProxy | undefined {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(written)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash, origin } = new URL(written);
  if (!(protocol in DEFAULT_PORTS) || hostname === '' || pathname !== '/' || search + hash !== '')
    return undefined;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      isTls: protocol === 'https:',
      host: unbracketed(hostname),
      port: Number(port || DEFAULT_PORTS[protocol]),
      authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
      name: origin,
    };
  } catch {
    return undefined;
  }
}

/** Whether a text is an exception from the proxy: see `proxyFinder`. */
export function isProxyException(text: string): boolean {
  return text === PROXY_LOCAL || exception(text) !== undefined;
}

/**
 * Returns a function that finds the proxy of an address; undefined: it is called directly.
 *
 * An exception is `*`, a name (with all names below it, also as `.name` or `*.name`), an IP address or a CIDR block, each
 * with `:port` to mean that port alone. Names are not resolved. This machine and its link are called directly unless
 * `<-loopback>` is an exception.
 */
export function proxyFinder(rules: ProxyRules): (url: URL) => EgressProxy | undefined {
  if (rules.http === undefined && rules.https === undefined) return () => undefined;
  const exceptions = rules.exceptions.map(exception).filter((each) => each !== undefined);
  const proxiesLocal = rules.exceptions.includes(PROXY_LOCAL);
  return ({ protocol, hostname, port }) => {
    if (!proxiesLocal && isLocalHost(hostname)) return undefined;
    const target = { host: unbracketed(hostname).replace(/\.$/, ''), port: port || DEFAULT_PORTS[protocol] };
    if (exceptions.some((matches) => matches(target))) return undefined;
    return protocol === 'https:' ? rules.https : rules.http;
  };
}

interface Target {
  readonly host: string;
  readonly port: string | undefined;
}

const WITH_PORT = /^(.*?)(?::(\d{1,5}))?$/;
const BRACKETED = /^\[([^\]]*)\](\/\d+)?(?::(\d{1,5}))?$/;
const NAME = /^(?:\*?\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?$/;

function exception(text: string): ((target: Target) => boolean) | undefined {
  if (text === '*') return () => true;
  const { host, port } = splitPort(text.toLowerCase());
  const matches = hostFilter(host);
  return matches && ((target) => (port === undefined || port === target.port) && matches(target.host));
}

function splitPort(text: string): Target {
  const [, bracketed, prefix = '', bracketedPort] = BRACKETED.exec(text) ?? [];
  if (bracketed !== undefined) return { host: bracketed + prefix, port: bracketedPort };
  if (parseAddressBlock(text) !== undefined) return { host: text, port: undefined };
  const [, host = '', port] = WITH_PORT.exec(text) ?? [];
  return { host, port };
}

function hostFilter(text: string): ((host: string) => boolean) | undefined {
  if (parseAddress(text) !== undefined || parseAddressBlock(text) !== undefined) return addressFilter([text]);
  const name = NAME.exec(text)?.[1];
  return name === undefined ? undefined : (host) => host === name || host.endsWith(`.${name}`);
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
