/** Content-Security-Policy by directive. */
export type Policy = Readonly<Record<string, string>>;

/**
 * What a page may load (spec/sign-in.md#page-headers). No `form-action`: browsers apply it to the redirect
 * that ends at the relying party.
 */
export const PAGE_POLICY: Policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** The value of a Content-Security-Policy header. */
export function contentSecurityPolicy(policy: Policy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
}

/**
 * Headers of every page. No Cross-Origin-Opener-Policy: it would cut off relying parties that sign in through a popup.
 *
 * @param additions - Directives that replace those of every page, or are new.
 */
export function pageHeaders(additions: Policy = {}): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy({ ...PAGE_POLICY, ...additions }),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'no-store',
  };
}
