import { isServiceError } from '../../../../../errors/service-error.ts';
import { type Language, readUiLocales } from '../../../../../oidc/languages.ts';
import { parseParameters } from '../../../../../oidc/parameters.ts';
import type { WaitConfig } from '../../../../../pages.ts';
import { escapeHtml } from '../../../../../text.ts';
import { type SigninRefusal, signinRefusal } from '../../../../errors/signin.ts';
import type { ErrorContext, ErrorRenderer } from '../../../../exchange/exchange-types.ts';
import { prefersJson } from '../../../../headers/request-headers.ts';
import { pageLanguage } from '../../../../pages/page-language.ts';
import { GUARDED_SCRIPTS, pageHeaders } from '../../../../pages/render-page.ts';
import { languageHeaders, renderSitePage, type Site, type SitePage } from '../../../../pages/site.ts';
import { type PageTexts, pageTexts } from '../../../../pages/texts/page-texts.ts';

/** Renders the page of a refusal with a page of its own; returns undefined for other refusals. */
export type RefusalPages = (
  refusal: SigninRefusal,
  context: ErrorContext,
  texts: PageTexts,
) => SitePage | undefined;

/**
 * Creates the error renderer of `/authorize` and of all paths below it (spec/sign-in.md#page-or-json and
 * spec/sign-in.md#sign-in-page): a page in the language of the person, or JSON if `Accept` prefers it.
 */
export function renderSigninPageError(site: Site, pageFor?: RefusalPages): ErrorRenderer {
  return (error, context) => {
    const refusal = signinRefusal(error, context);
    const { answer } = refusal;
    if (prefersJson(context.headers?.get('accept'))) {
      const headers = { 'Content-Type': 'application/json', ...answer.headers, Vary: 'Accept' };
      return { ...answer, headers, body: JSON.stringify(refusal.body) };
    }
    const texts = pageTexts(languageOf(error, context));
    const page = pageFor?.(refusal, context, texts) ?? pageOf(refusal, context, texts, site);
    return {
      ...answer,
      headers: {
        ...pageHeaders(
          page.refreshWithoutScriptSeconds === undefined ? {} : { 'script-src': GUARDED_SCRIPTS },
        ),
        ...languageHeaders(texts),
        'Content-Type': 'text/html; charset=utf-8',
        ...answer.headers,
        Vary: 'Accept, Accept-Language',
      },
      body: renderSitePage(site, texts, page),
    };
  };
}

/** Renders names and values for support requests as an HTML list. */
export function factList(facts: readonly (readonly [name: string, valueHtml: string])[]): string {
  return `<dl>
${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`).join('\n')}
</dl>`;
}

/** Renders a value for `factList` that is a code and must not be translated. */
export function codeFact(value: string): string {
  return `<code>${escapeHtml(value)}</code>`;
}

/**
 * Returns the language of `ui_locales`, else the one of the browser. For internal errors and errors before the handler,
 * `ui_locales` is read from the query.
 */
function languageOf(error: unknown, { query, headers, context }: ErrorContext): Language {
  const known = isServiceError(error) ? context.language : undefined;
  const asked = known ?? languageOfQuery(query ?? '');
  return pageLanguage(asked, headers?.get('accept-language'));
}

// The whole query is not parsed: it may be malformed and over its limit.
const UI_LOCALES = /(?:^|&)(ui_locales=[^&]{1,300})(?:&|$)/;

function languageOfQuery(query: string): Language | undefined {
  const parameter = UI_LOCALES.exec(query)?.[1];
  if (parameter === undefined) return undefined;
  try {
    return readUiLocales(parseParameters(parameter).get('ui_locales'));
  } catch {
    // A malformed escape means no language.
    return undefined;
  }
}

/** Returns the page of any other refusal. The page for an internal error does not blame the request. */
function pageOf(refusal: SigninRefusal, context: ErrorContext, texts: PageTexts, site: Site): SitePage {
  if (refusal.fault.code === RATE_LIMITED) return waitPage(refusal, context, texts);
  const { fault, body, answer } = refusal;
  const isOurs = answer.status >= 500;
  const [title, advice] = isOurs
    ? [texts.text('error.ourTitle'), texts.text('error.ourAdvice')]
    : [texts.text('error.title'), texts.text('error.advice')];
  const facts = [
    [texts.text('error.message'), `<span lang="en">${escapeHtml(body.detail)}</span>`],
    [texts.text('error.code'), codeFact(body.code)],
    ...(body.attribute === null ? [] : [[texts.text('error.attribute'), codeFact(body.attribute)] as const]),
    [texts.text('error.request'), codeFact(context.requestId)],
  ] as const;
  const hint = isOurs || !site.isDevelopment ? '' : developerHint(fault.spec);
  return {
    title,
    main: `<main>
<section>
<h1>${escapeHtml(title)}</h1>
<p class="status" data-mood="bad">${escapeHtml(sentenceOf(refusal, isOurs, texts))}</p>
<p>${escapeHtml(advice)}</p>
${factList(facts)}
</section>${hint}
</main>`,
  };
}

/** Sentences for error codes, else for wire codes; others share one sentence. */
const SENTENCES = new Map([
  ['authorize.request_uri_used', 'error.request_uri_used'],
  ['authorize.request_uri_expired', 'error.request_uri_expired'],
  ['required', 'error.required'],
  ['invalid_redirect_uri', 'error.invalid_redirect_uri'],
  ['invalid_request_uri', 'error.invalid_request_uri'],
  ['app_not_found', 'error.app_not_found'],
  ['sign_in_not_enabled', 'error.sign_in_not_enabled'],
  ['request_too_large', 'error.request_too_large'],
  ['not_found', 'error.not_found'],
] as const);

function sentenceOf({ fault, body }: SigninRefusal, isOurs: boolean, texts: PageTexts): string {
  const sentences: ReadonlyMap<string, SentenceKey> = SENTENCES;
  const key = sentences.get(fault.code) ?? sentences.get(body.code) ?? 'error.invalid_request';
  return texts.text(isOurs ? 'error.server_error' : key);
}

type SentenceKey = typeof SENTENCES extends Map<string, infer Key> ? Key : never;

function developerHint({ title, cause, cure }: SigninRefusal['fault']['spec']): string {
  return `
<section lang="en">
<h2>For developers</h2>
<p><b>${escapeHtml(title)}.</b> ${withCode(cause)}</p>
<p>${withCode(cure)}</p>
</section>`;
}

/** Renders a text of the catalogue as HTML, with code for text between backticks. */
function withCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** Error code for which this page is shown. */
const RATE_LIMITED = 'http.rate_limited';

/**
 * Returns the page of a rate-limited request: it shows the waiting time, counts down and continues automatically. It
 * never resubmits a form; after a form it continues with the page of the form, if there is one.
 */
function waitPage({ fault }: SigninRefusal, { method, params }: ErrorContext, texts: PageTexts): SitePage {
  const seconds = Math.max(1, Math.ceil(fault.details.retryAfterSeconds ?? 1));
  const target = method === 'GET' ? '' : pageOfForm(params.txn);
  const config: WaitConfig = {
    seconds,
    language: texts.language,
    now: texts.text('wait.now'),
    goesOn: target !== undefined,
    ...(target ? { next: target } : {}),
  };
  const wait = `<b id="wait-left">${escapeHtml(texts.seconds(seconds))}</b>`;
  const link =
    target === undefined
      ? ''
      : `\n<p class="buttons"><a class="button" href="${target}">${texts.html('wait.retry')}</a></p>`;
  return {
    title: texts.text('wait.title'),
    script: 'wait-page.js',
    // After a form, only the script can continue with another page.
    ...(target === '' ? { refreshWithoutScriptSeconds: seconds + 1 } : {}),
    main: `<main id="wait" data-config="${escapeHtml(JSON.stringify(config))}">
<section>
<h1>${texts.html('wait.title')}</h1>
<p>${texts.html('wait.text')}</p>
<p id="wait-sentence" class="status" role="timer">${texts.html('wait.again', { wait })}</p>
<p id="wait-over" class="status" data-mood="good" role="status" aria-live="polite"></p>
${target === '' ? `<p>${texts.html('wait.goesOn')}</p>` : ''}${link}
</section>
</main>`,
  };
}

/**
 * Returns the URL of the sign-in page whose form was sent, relative to that of the form:
 * `/authorize/{txn}/{form}`.
 */
function pageOfForm(txn: string | undefined): string | undefined {
  return txn !== undefined && TXN.test(txn) ? `../${txn}` : undefined;
}

/** Format of a transaction id; pages link no other paths. */
const TXN = /^[A-Za-z0-9_-]{43}$/;
