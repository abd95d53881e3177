import { createHash } from 'node:crypto';
import { escapeHtml } from '../../text.ts';
import type { HttpResponse } from '../exchange/exchange-types.ts';

/** Content of one page, for the HTML shell. */
export interface Page {
  readonly title: string;
  /** Language of all text that is not marked otherwise; English if absent. */
  readonly language?: string;
  /** URL of the one stylesheet. */
  readonly styleUrl: string;
  /** URL of the icon; if absent, an empty icon keeps browsers from requesting /favicon.ico. */
  readonly iconUrl?: string;
  /** URL of the one script, an ES module; absent on static pages. */
  readonly scriptUrl?: string;
  /** Word that marks the page as not meant for the public, such as `development`. */
  readonly banner?: string;
  /**
   * Whole seconds after which a browser reloads the page if it has no scripts, or if a part of the page did not arrive;
   * never if absent. Its policy needs `GUARDED_SCRIPTS`, and its body ends with a `footer`.
   */
  readonly refreshWithoutScriptSeconds?: number;
  /** HTML of the body after the banner; the caller escapes the texts in it. */
  readonly body: string;
}

/** Longest time in which a page loads; longer, its connection has ended unnoticed. */
const LOADING_MS = 60_000;

/**
 * Loads a page again of which a part did not arrive: its script, its stylesheet or its end. Without its script a page would
 * stand still; without its stylesheet it works, so that is tried once. It first asks for the icon until something answers,
 * since a page that is loaded without a connection is gone.
 */
const GUARD_SCRIPT = `
{
  const { seconds, probe } = document.currentScript.dataset;
  let isIncomplete = false;
  const loadAgain = () => setTimeout(() => fetch(probe, { cache: 'no-store' }).then(() => location.reload(), loadAgain), seconds * 1000);
  const miss = () => {
    if (!isIncomplete) loadAgain();
    isIncomplete = true;
  };
  const isReload = performance.getEntriesByType('navigation')[0]?.type === 'reload';
  addEventListener('error', ({ target }) => {
    if (target.localName === 'script' || (target.rel === 'stylesheet' && !isReload)) miss();
  }, true);
  addEventListener('DOMContentLoaded', () => { if (document.querySelector('body > footer') === null) miss(); });
  setTimeout(() => { if (document.readyState === 'loading') miss(); }, ${LOADING_MS});
}
`;

/** Source in the policy of a page that reloads itself without its script. */
export const GUARDED_SCRIPTS: string = `'self' 'sha256-${createHash('sha256').update(GUARD_SCRIPT).digest('base64')}'`;

/**
 * Renders an HTML document without inline style, and without inline script unless it reloads itself, as the policy of
 * `pageHeaders` requires.
 */
export function renderPage(page: Page): string {
  const { title, language = 'en', styleUrl, iconUrl = 'data:,', scriptUrl, banner, body } = page;
  const seconds = page.refreshWithoutScriptSeconds;
  const refresh =
    seconds === undefined
      ? ''
      : `<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>
<script data-seconds="${seconds}" data-probe="${escapeHtml(iconUrl)}">${GUARD_SCRIPT}</script>\n`;
  const script =
    scriptUrl === undefined ? '' : `<script type="module" src="${escapeHtml(scriptUrl)}"></script>\n`;
  const mark = banner === undefined ? '' : `<header class="banner">${escapeHtml(banner)}</header>\n`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${refresh}<link rel="icon" href="${escapeHtml(iconUrl)}">
<link rel="stylesheet" href="${escapeHtml(styleUrl)}">
${script}</head>
<body>
${mark}${body}
</body>
</html>
`;
}

/**
 * Renders a control that is revealed by a click elsewhere on the page: without a script this prevents a click that
 * another page redirected here from pressing it (spec/sign-in.md#guarded-controls).
 */
export function folded(summaryHtml: string, controlHtml: string): string {
  return `<details class="folded">
<summary>${summaryHtml}</summary>
${controlHtml}
</details>`;
}

/** Content-Security-Policy by directive. */
type Policy = Readonly<Record<string, string>>;

/**
 * Content-Security-Policy of every page (spec/sign-in.md#page-headers). No `form-action`: browsers would
 * apply it to the redirect that ends at the relying party.
 */
const PAGE_POLICY: Policy = {
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
export const ISOLATION: Readonly<Record<string, string>> = { 'Cross-Origin-Opener-Policy': 'same-origin' };

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

/** A page of development, which its script fills. */
export interface ScriptPage {
  readonly title: string;
  /** Id of the element that the script fills; the settings are in its `data-config`. */
  readonly id: string;
  readonly config: object;
  /** Sentence for a browser without scripts. */
  readonly withoutScript: string;
  readonly basePath: string;
  readonly styleUrl: string;
  readonly scriptUrl: string;
}

/** Returns the answer with a page of development. Its headers, except for the type, are those of the route. */
export function scriptPage({ id, config, withoutScript, basePath, ...page }: ScriptPage): HttpResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: renderPage({
      ...page,
      iconUrl: `${basePath}/favicon.ico`,
      banner: 'development',
      body: `<main id="${id}" data-config="${escapeHtml(JSON.stringify(config))}">
<noscript><p>${withoutScript}</p></noscript>
</main>`,
    }),
  };
}
