import { canonicalAddress } from '../../addresses.ts';

/** Headers in which a proxy names the client; the configuration trusts at most one. */
export type ProxyHeader = 'forwarded' | 'x-forwarded-for';

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
