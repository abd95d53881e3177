/** One response header, checked. */
export type Header = readonly [name: string, value: string];

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Checks a response header; every header passes through here. uWebSockets.js writes CR and LF unescaped, so
 * an unchecked value could add headers or a second response.
 *
 * @throws Error when the name is not a token or the value holds anything but visible ASCII and spaces
 */
export function header(name: string, value: string): Header {
  if (!TOKEN.test(name)) throw new Error('response header: the name is not a token');
  if (!VISIBLE_ASCII.test(value)) {
    throw new Error(`response header ${name}: expected visible ASCII and spaces only`);
  }
  return [name, value];
}

/** Checks and merges header sets; later sets override earlier ones by name, case-insensitively. */
export function mergeHeaders(...sets: readonly (Readonly<Record<string, string>> | undefined)[]): Header[] {
  const merged = new Map<string, Header>();
  for (const set of sets) {
    for (const name in set) merged.set(name.toLowerCase(), header(name, set[name] ?? ''));
  }
  return [...merged.values()];
}

/** An immutable header set, checked once and merged once with the defaults of a listener. */
export class FixedHeaders {
  readonly set: Readonly<Record<string, string>>;
  #defaults: FixedHeaders | undefined;
  #merged: readonly Header[] = [];

  /** @throws Error as `header` */
  constructor(set: Readonly<Record<string, string>>) {
    mergeHeaders(set);
    this.set = set;
  }

  /** Returns these headers merged over the defaults; the result for the last defaults is cached. */
  over(defaults: FixedHeaders): readonly Header[] {
    if (this.#defaults !== defaults) {
      this.#merged = mergeHeaders(defaults.set, this.set);
      this.#defaults = defaults;
    }
    return this.#merged;
  }
}

/**
 * Returns the headers of an answer that keeps its connection: the time in seconds for which it may be idle and, as for every
 * header about a connection, its name in `Connection` (RFC 9110 section 7.6.1).
 */
export function keepAliveHeaders(seconds: number): readonly Header[] {
  return [header('Connection', 'keep-alive'), header('Keep-Alive', `timeout=${seconds}`)];
}

/**
 * Returns the security headers of every answer; HSTS only if the public address is https.
 *
 * @param withSubDomains - Whether HSTS covers the hosts below that of the service (RFC 6797 section 6.1.2).
 */
export function securityHeaders(baseUrl: string, withSubDomains = false): Record<string, string> {
  const hsts = `max-age=${ONE_YEAR_SECONDS}${withSubDomains ? '; includeSubDomains' : ''}`;
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': hsts } : {}),
  };
}
