import { type SigninRefusal, signinRefusal } from '../../../errors-signin.ts';
import type { ErrorContext, ErrorRenderer, HttpResponse } from '../../../exchange-types.ts';
import { escapeHtml, pageHeaders, renderPage } from '../../../pages/index.ts';
import { prefersJson } from './accept.ts';

/** Makes a page for a refusal; it says what went wrong in the body of the page. */
export type RefusalBody = (refusal: SigninRefusal, context: ErrorContext) => string | undefined;

/**
 * Errors of `/authorize` and of all below it (signin.md sections 3 and 9): a page, or JSON where `Accept` prefers it.
 *
 * @param styleUrl - Address of the stylesheet of sign-in pages.
 * @param bodyFor - HTML of `main` for the refusals that have a page of their own; undefined for the others.
 */
export function renderSigninPageError(styleUrl: string, bodyFor?: RefusalBody): ErrorRenderer {
  return (error, context) => {
    const refusal = signinRefusal(error, context);
    const content = prefersJson(context.headers?.get('accept'))
      ? jsonContent(refusal)
      : pageContent(styleUrl, bodyFor?.(refusal, context) ?? refusalBody(refusal, context));
    const { answer } = refusal;
    return { ...answer, ...content, headers: { ...content.headers, ...answer.headers, Vary: 'Accept' } };
  };
}

type Content = Required<Pick<HttpResponse, 'headers' | 'body'>>;

function jsonContent({ body }: SigninRefusal): Content {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

function pageContent(styleUrl: string, body: string): Content {
  return {
    headers: { ...pageHeaders(), 'Content-Type': 'text/html; charset=utf-8' },
    body: renderPage({ title: 'Sign-in', styleUrl, body: `<main>\n${body}\n</main>` }),
  };
}

/** What the page says of any refusal. The fault of the service is not put on the request. */
function refusalBody({ fault, body, answer }: SigninRefusal, { requestId }: ErrorContext): string {
  const isOurs = answer.status >= 500;
  const title = isOurs ? 'Something went wrong on our side' : 'Something is wrong with this request';
  const advice = isOurs
    ? 'Try again in a moment.'
    : 'Go back to the app that sent you here and try again. If it happens again, tell its makers what is below.';
  const facts: [name: string, value: string][] = [
    ['Code', body.code],
    ...(body.attribute === null ? [] : [['Attribute', body.attribute] as [string, string]]),
    ['Request', requestId],
  ];
  return `<section>
<h1>${escapeHtml(title)}</h1>
<p class="status" data-mood="bad">${escapeHtml(body.detail)}</p>
<p>${escapeHtml(advice)}</p>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value)}</code></dd>`).join('\n')}
</dl>
</section>${isOurs ? '' : developerHint(fault.spec)}`;
}

function developerHint({ title, cause, cure }: SigninRefusal['fault']['spec']): string {
  return `
<section>
<h2>For developers</h2>
<p><b>${escapeHtml(title)}.</b> ${withCode(cause)}</p>
<p>${withCode(cure)}</p>
</section>`;
}

/** A text of the catalogue as HTML; what stands between backticks is code. */
function withCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
