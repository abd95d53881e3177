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
 * Keeps a page apart from pages that opened it and that it opens. Pages on the way of a sign-in or sign-out have none:
 * an app that opened them as a popup could not reach the popup any more, even once it is back at the app.
 */
export const OWN_WINDOW: Readonly<Record<string, string>> = { 'Cross-Origin-Opener-Policy': 'same-origin' };

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

/** Headers of a page that is no part of a sign-in: it sends no form, and pages that opened it cannot reach it. */
export const TOOL_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'form-action': "'none'" }),
  ...OWN_WINDOW,
  'Content-Type': 'text/html; charset=utf-8',
};
