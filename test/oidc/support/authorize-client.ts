/** Authorization requests that no library would write, and their answers read byte by byte. */
import { type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';

/** Names and values in order; names may repeat. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Returns the pairs without these names. */
export function without(pairs: Pairs, ...names: string[]): Pairs {
  return pairs.filter(([name]) => !names.includes(name));
}

/** Returns the pairs with `name` exactly once, with this value. */
export function having(pairs: Pairs, name: string, value: string): Pairs {
  return [...without(pairs, name), [name, value]];
}

/** Returns the pairs with `name` twice. */
export function twice(pairs: Pairs, name: string): Pairs {
  return [...having(pairs, name, 'a'), [name, 'a']];
}

/** Encodes pairs as a form, with `%20` for a space. */
export function encode(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** Sends `GET /authorize`. */
export function getAuthorize(
  baseUrl: string,
  query: Pairs | string,
  headers: readonly string[] = [],
): Promise<RawResponse> {
  const { port, pathname } = new URL(`${baseUrl}/authorize`);
  const text = typeof query === 'string' ? query : encode(query);
  return rawRequest(Number(port), requestText(`GET ${pathname}?${text}`, headers));
}

/** Sends `POST /authorize`, text as Latin-1; `headers` replaces the default content type. */
export function postAuthorize(
  baseUrl: string,
  form: Pairs | string,
  headers: readonly string[] = ['Content-Type: application/x-www-form-urlencoded'],
  query = '',
): Promise<RawResponse> {
  const { port, pathname } = new URL(`${baseUrl}/authorize`);
  const body = typeof form === 'string' ? form : encode(form);
  const all = [...headers, `Content-Length: ${body.length}`];
  return rawRequest(Number(port), requestText(`POST ${pathname}${query}`, all, body));
}

/** An answer to the relying party by redirect: its mode and its parameters in their order. */
export interface Redirected {
  readonly mode: 'query' | 'fragment';
  /** URI to which the parameters were appended. */
  readonly target: string;
  readonly parameters: Pairs;
}

/** Reads a `Location` whose parameters were appended to a registered URI. */
export function readRedirect(location: string | undefined, registered: string): Redirected {
  if (location?.startsWith(registered) !== true)
    throw new Error(`expected a redirect to ${registered}, got ${location}`);
  const separator = location[registered.length];
  const parameters = location
    .slice(registered.length + 1)
    .split('&')
    .map((part) => part.split('=').map(decodeURIComponent) as [string, string]);
  return { mode: separator === '#' ? 'fragment' : 'query', target: registered, parameters };
}
