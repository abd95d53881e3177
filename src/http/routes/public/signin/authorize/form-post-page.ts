import { createHash } from 'node:crypto';
import type { AuthorizationResponse } from '../../../../../oidc/authorize/responder.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { HttpResponse } from '../../../../exchange/exchange-types.ts';
import { pageHeaders } from '../../../../pages/render-page.ts';
import { languageHeaders } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { NO_STORE } from '../endpoint-rules.ts';

// HTML cannot express U+0000, so the script sets such a value from its JSON before it submits the form.
const SUBMIT_SCRIPT = `
const form = document.forms[0];
for (const input of form.elements) if (input.dataset.json) input.value = JSON.parse(input.dataset.json);
form.submit();
`;
const SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SUBMIT_SCRIPT).digest('base64')}'`;

/**
 * Returns the page that delivers a response in mode `form_post`: a form that submits itself, with a button if
 * scripts are off. Its policy allows this one script and nothing else; no `form-action`, since browsers apply
 * that to redirects too.
 */
export function formPostPage(
  { redirectUri, parameters }: AuthorizationResponse,
  texts: PageTexts,
): HttpResponse {
  return {
    status: 200,
    headers: {
      ...pageHeaders({
        'script-src': SCRIPT_SOURCE,
        'style-src': "'none'",
        'img-src': 'data:',
        'connect-src': "'none'",
      }),
      ...NO_STORE,
      ...languageHeaders(texts),
      'Content-Type': 'text/html;charset=utf-8',
    },
    body: `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.html('formPost.title')}</title>
<link rel="icon" href="data:,">
</head>
<body>
<form method="post" action="${escapeAttribute(redirectUri)}">
${parameters.map(hiddenInput).join('\n')}
<noscript>
<p>${texts.html('formPost.text')}</p>
<button type="submit">${texts.html('formPost.button')}</button>
</noscript>
</form>
<script>${SUBMIT_SCRIPT}</script>
</body>
</html>
`,
  };
}

function hiddenInput([name, value]: readonly [string, string]): string {
  const json = value.includes('\0') ? ` data-json="${escapeAttribute(JSON.stringify(value))}"` : '';
  return `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}"${json}>`;
}

// HTML parsers convert a bare CR to LF, hence the character reference.
function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('\r', '&#13;');
}
