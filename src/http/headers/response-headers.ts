/** One response header, checked. */
export type Header = readonly [name: string, value: string];

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Checks a response header; every header goes through here. uWebSockets.js writes CR and LF of a value as they are,
 * which would let a value add headers or a second response.
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

/** A header set that never changes, checked once and merged once with the defaults of a listener. */
export class FixedHeaders {
  readonly set: Readonly<Record<string, string>>;
  #defaults: FixedHeaders | undefined;
  #merged: readonly Header[] = [];

  /** @throws Error as `header` */
  constructor(set: Readonly<Record<string, string>>) {
    mergeHeaders(set);
    this.set = set;
  }

  /** Returns these headers merged over the defaults; the list of the last defaults is kept. */
  over(defaults: FixedHeaders): readonly Header[] {
    if (this.#defaults !== defaults) {
      this.#merged = mergeHeaders(defaults.set, this.set);
      this.#defaults = defaults;
    }
    return this.#merged;
  }
}

/** Headers of every answer that do not depend on the request; HSTS only where the public address is https. */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${ONE_YEAR_SECONDS}` } : {}),
  };
}
