import { ServiceError } from '../../../../../errors/index.ts';

type Headers = ReadonlyMap<string, string>;

/** Sites whose forms may act on a sign-in, as browsers name them; `none` is the person, by the address bar. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Refuses a form that another site sent. The cookie is `SameSite=Lax`, so what this adds is a sibling host of the same
 * site. `Origin: null` says nothing: browsers send it from our own page, whose policy is to send no referrer.
 *
 * @throws ServiceError `transaction.not_found`
 */
export function requireOwnOrigin(headers: Headers, baseUrl: string): void {
  const origin = headers.get('origin');
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== new URL(baseUrl).origin;
  const isForeignSite = !OWN_SITES.has(headers.get('sec-fetch-site') ?? 'none');
  if (isForeignOrigin || isForeignSite) throw new ServiceError('transaction.not_found');
}

/**
 * Where a request came from, as far as it says so: its `Origin`, else the host that it was sent to under the scheme of
 * `baseUrl`, because a request does not name its own.
 */
export function actualOrigin(headers: Headers | undefined, baseUrl: string): string {
  const origin = headers?.get('origin');
  if (origin !== undefined && origin !== 'null') return origin;
  return `${new URL(baseUrl).protocol}//${headers?.get('host') ?? ''}`;
}
