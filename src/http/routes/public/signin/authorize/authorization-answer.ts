import { createHash } from 'node:crypto';
import type { AuthorizationResponse } from '../../../../../oidc/authorize/responder.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { HttpResponse } from '../../../../exchange/exchange-types.ts';
import { pageHeaders } from '../../../../pages/render-page.ts';
import { languageHeaders } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { NO_STORE } from '../endpoint-rules.ts';

// HTML cannot express U+0000, so the script sets such a value from its JSON before it submits the form. The button would
// send the same response a second time while the app answers, so it is away for a while, except where only a tap may
// open the app; it is there if the page stays or comes back.
const SUBMIT_SCRIPT = `
const form = document.forms[0];
const byHand = document.querySelector('#by-hand');
const show = () => { byHand.hidden = false; };
for (const input of form.elements) if (input.dataset.json) input.value = JSON.parse(input.dataset.json);
byHand.hidden = /^https?:/.test(form.action);
addEventListener('pageshow', ({ persisted }) => { if (persisted) show(); });
setTimeout(show, 5000);
form.submit();
`;
const SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SUBMIT_SCRIPT).digest('base64')}'`;

/**
 * Returns the page that delivers a response in mode `form_post`: a form that submits itself, with a button for
 * where it does not. Its policy allows this one script and nothing else; no `form-action`, since browsers apply
 * that to redirects too.
 */
function formPostPage({ redirectUri, parameters }: AuthorizationResponse, texts: PageTexts): HttpResponse {
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
<div id="by-hand">
<p>${texts.html('formPost.text')}</p>
<button type="submit">${texts.html('formPost.button')}</button>
</div>
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

/** Headers of every answer below `/authorize`, refusals included (spec/sign-in.md#response-headers). */
export const SIGNIN_HEADERS: Readonly<Record<string, string>> = {
  ...NO_STORE,
  'Referrer-Policy': 'no-referrer',
};

/**
 * Returns the answer that delivers an authorization response through the browser
 * (spec/sign-in.md#response-modes): 303, never 307, which would forward the body of a POST to the relying
 * party; or the page that posts a form.
 *
 * @param texts - Texts of that page.
 */
export function answerOf(response: AuthorizationResponse, texts: PageTexts): HttpResponse {
  if (response.mode === 'form_post') return formPostPage(response, texts);
  return { status: 303, headers: { ...SIGNIN_HEADERS, Location: locationOf(response) } };
}

/**
 * Returns the URL that delivers a response in mode `query` or `fragment`. The registered URI is kept byte for
 * byte, with its own query; values are percent-encoded with `%20` for space, which form decoders and plain
 * percent decoders read alike.
 *
 * @returns ASCII, as the registered URI is.
 */
export function locationOf({ mode, redirectUri, parameters }: AuthorizationResponse): string {
  const encoded = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const separator = mode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return `${redirectUri}${separator}${encoded}`;
}
