import { escapeHtml } from '../../text.ts';

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
  /** Whole seconds after which a browser without scripts reloads the page; never if absent. */
  readonly refreshWithoutScriptSeconds?: number;
  /** HTML of the body after the banner; the caller escapes the texts in it. */
  readonly body: string;
}

/** Renders an HTML document without inline script or style, as the policy of `pageHeaders` requires. */
export function renderPage(page: Page): string {
  const { title, language = 'en', styleUrl, iconUrl = 'data:,', scriptUrl, banner, body } = page;
  const seconds = page.refreshWithoutScriptSeconds;
  const refresh =
    seconds === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>\n`;
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
