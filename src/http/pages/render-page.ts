import { escapeHtml } from '../../text.ts';

/** What makes one page out of the shell. */
export interface Page {
  readonly title: string;
  /** Of all texts of the page that say nothing else; English where absent. */
  readonly language?: string;
  /** Address of the one stylesheet. */
  readonly styleUrl: string;
  /** Address of the icon; without one browsers are kept from asking for /favicon.ico. */
  readonly iconUrl?: string;
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
