/** One response header, checked. */
export type Header = readonly [name: string, value: string];

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * The one way to a response header. uWebSockets.js writes CR and LF of a value as they are, which would let a
 * value add headers or a second response.
 *
 * @throws Error when the name is no token or the value holds anything but visible ASCII and spaces
 */
export function header(name: string, value: string): Header {
  if (!TOKEN.test(name)) throw new Error('response header: the name is not a token');
  if (!VISIBLE_ASCII.test(value)) {
    throw new Error(`response header ${name}: the value holds something else than visible ASCII and spaces`);
  }
  return [name, value];
}

/** Checks and merges header sets; a later set replaces a name of an earlier one, whatever its case. */
export function mergeHeaders(...sets: readonly (Readonly<Record<string, string>> | undefined)[]): Header[] {
  const merged = new Map<string, Header>();
  for (const set of sets) {
    for (const name in set) merged.set(name.toLowerCase(), header(name, set[name] ?? ''));
  }
  return [...merged.values()];
}

/**
 * A header set that never changes, checked once. Answers that differ in nothing but their body and one header are most
 * of what a busy listener sends; what they have in common is put together once.
 */
export class FixedHeaders {
  readonly set: Readonly<Record<string, string>>;
  #defaults: FixedHeaders | undefined;
  #lines = '';

  /** @throws Error as `header` */
  constructor(set: Readonly<Record<string, string>>) {
    mergeHeaders(set);
    this.set = set;
  }

  /**
   * A checked header with these behind it, over the defaults, all as one header for `writeHeader`: uWebSockets.js writes
   * a value as it is, and with line ends in it, which no checked value has, it is several headers.
   */
  behind([name, value]: Header, defaults: FixedHeaders): Header {
    if (this.#defaults !== defaults) {
      const all = mergeHeaders(defaults.set, this.set);
      this.#lines = all.map((each) => `\r\n${each[0]}: ${each[1]}`).join('');
      this.#defaults = defaults;
    }
    return [name, value + this.#lines];
  }
}

/** Headers of every answer that do not depend on the request; HSTS only where the public address is https. */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${ONE_YEAR_SECONDS}` } : {}),
  };
}
