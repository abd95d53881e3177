import { ServiceError } from '../errors/index.ts';

/**
 * Reads the parameters `names` of a raw query (signin.md section 3): `+` and `%20` are space, an empty value counts as
 * absent, others are ignored.
 *
 * @throws ServiceError `http.invalid_parameter` for one that is repeated, and for an escape that is not UTF-8
 */
export function readQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found = new Map<string, string>();
  for (const part of query.split('&')) {
    const [rawName = '', ...rest] = part.split('=');
    const name = decode(rawName);
    if (!names.some((known) => known === name)) continue;
    if (found.has(name)) {
      throw new ServiceError('http.invalid_parameter', `${name}: expected once, got it again.`, {
        path: name,
      });
    }
    found.set(name, decode(rest.join('=')));
  }
  const given = names.flatMap((name) => (found.get(name) ? [[name, found.get(name)]] : []));
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new ServiceError(
      'http.invalid_parameter',
      'The query holds a percent escape that is not UTF-8.',
      {},
      { cause },
    );
  }
}
