/** Content-Security-Policy by directive. */
export type Policy = Readonly<Record<string, string>>;

/**
 * Content-Security-Policy of every page (spec/sign-in.md#page-headers). No `form-action`: browsers would
 * apply it to the redirect that ends at the relying party.
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

/** Returns the value of a Content-Security-Policy header. */
export function contentSecurityPolicy(policy: Policy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
}

/**
 * Isolates a page from its opener and from pages that it opens. Pages in the course of a sign-in or sign-out lack it:
 * an app that opened them as a popup would lose access to the popup, even after its return to the app.
 */
export const ISOLATION: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * Returns the headers of a page.
 *
 * @param additions - Directives that override those of `PAGE_POLICY` or are added to them.
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

/** Headers of a page that is not part of a sign-in: it sends no form, and its opener has no access to it. */
export const TOOL_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'form-action': "'none'" }),
  ...ISOLATION,
  'Content-Type': 'text/html; charset=utf-8',
};
