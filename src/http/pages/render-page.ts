import { escapeHtml } from './escape-html.ts';

/** What makes one page out of the shell. */
export interface Page {
  readonly title: string;
  /** Address of the one stylesheet. */
  readonly styleUrl: string;
  /** Address of the one script, an ES module; a page that only tells something has none. */
  readonly scriptUrl?: string;
  /** A word that marks the page as not meant for the public, such as `development`. */
  readonly banner?: string;
  /** Whole seconds after which a browser without scripts loads the page again; never where absent. */
  readonly refreshWithoutScriptSeconds?: number;
  /** HTML of the body after the banner; whoever makes it escapes the texts in it. */
  readonly body: string;
}

/** An HTML document without inline script or style, as the policy of `pageHeaders` wants it. */
export function renderPage(page: Page): string {
  const { title, styleUrl, scriptUrl, banner, refreshWithoutScriptSeconds: seconds, body } = page;
  const refresh =
    seconds === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>\n`;
  const script =
    scriptUrl === undefined ? '' : `<script type="module" src="${escapeHtml(scriptUrl)}"></script>\n`;
  const mark = banner === undefined ? '' : `<header class="banner">${escapeHtml(banner)}</header>\n`;
  // The empty icon keeps browsers from asking for /favicon.ico.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${refresh}<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(styleUrl)}">
${script}</head>
<body>
${mark}${body}
</body>
</html>
`;
}
