import type { ErrorCode } from '../../../../../errors/catalogue.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';

type Headers = ReadonlyMap<string, string>;

/** Values of `Sec-Fetch-Site` with which a form is accepted for a sign-in; `none`: not caused by a page. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Refuses a form from another origin. The cookie is `SameSite=Lax`, so this adds protection against sibling hosts of
 * the same site. `Origin: null` is accepted: browsers send it from the sign-in page itself, because its policy is
 * `no-referrer`.
 *
 * @param refusal - Code of the ServiceError that it throws.
 */
export function requireOwnOrigin(
  headers: Headers,
  baseUrl: string,
  refusal: ErrorCode = 'transaction.not_found',
): void {
  const origin = headers.get('origin');
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== new URL(baseUrl).origin;
  const isForeignSite = !OWN_SITES.has(headers.get('sec-fetch-site') ?? 'none');
  if (isForeignOrigin || isForeignSite) throw new ServiceError(refusal);
}

/**
 * Returns the origin of a request, if known: its `Origin`, else its `Host` with the scheme of `baseUrl`, because a
 * request does not contain its scheme.
 */
export function actualOrigin(headers: Headers | undefined, baseUrl: string): string {
  const origin = headers?.get('origin');
  if (origin !== undefined && origin !== 'null') return origin;
  return `${new URL(baseUrl).protocol}//${headers?.get('host') ?? ''}`;
}
