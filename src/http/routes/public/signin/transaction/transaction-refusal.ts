import { isServiceError, ServiceError } from '../../../../../errors/service-error.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { ErrorContext, ErrorRenderer } from '../../../../exchange/exchange-types.ts';
import type { Site } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { codeFact, factList, renderSigninPageError } from '../authorize/error-page.ts';
import { MAX_OPEN_SIGN_INS, transactionCookieName } from '../cookies.ts';
import { actualOrigin } from './transaction-origin.ts';

/** Settings that the pages of refused sign-ins show. */
export interface TransactionRefusalParts {
  readonly site: Site;
  readonly baseUrl: string;
  readonly transactionTtlSeconds: number;
}

/** Facts for the page of a browser without the cookie of a sign-in. */
interface LostSession {
  readonly cookie: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Creates the error renderer below `/authorize/{txn}`. For a missing session it names the cookie, the
 * expected and the actual origin, likely causes and what to do. A finished sign-in is not presented as an
 * error. Other errors are rendered as at `/authorize`.
 */
export function renderTransactionError(parts: TransactionRefusalParts): ErrorRenderer {
  const { baseUrl, site } = parts;
  const lostSession = ({ params, headers }: ErrorContext): LostSession => ({
    cookie: transactionCookieName(params.txn ?? ''),
    expected: new URL(baseUrl).origin,
    actual: actualOrigin(headers, baseUrl),
  });
  const render = renderSigninPageError(site, ({ fault }, context, texts) => {
    if (fault.code === 'transaction.finished')
      return { title: texts.text('finished.title'), main: finishedMain(texts) };
    if (fault.code !== 'transaction.not_found') return undefined;
    return {
      title: texts.text('lost.title'),
      main: lostSessionMain(lostSession(context), parts, context.requestId, texts),
    };
  });
  return (error, context) => {
    if (!isServiceError(error) || error.code !== 'transaction.not_found') return render(error, context);
    const { cookie, expected, actual } = lostSession(context);
    const message = `The cookie ${cookie} did not come, or the sign-in is over. Expected origin ${expected}, got ${actual}.`;
    return render(
      new ServiceError('transaction.not_found', message, error.details, { cause: error }),
      context,
    );
  };
}

function finishedMain(texts: PageTexts): string {
  return `<main>
<section>
<h1>${texts.html('finished.title')}</h1>
<p>${texts.html('finished.text')}</p>
<p>${texts.html('finished.advice')}</p>
</section>
</main>`;
}

function lostSessionMain(
  { cookie, expected, actual }: LostSession,
  { transactionTtlSeconds, baseUrl }: TransactionRefusalParts,
  requestId: string,
  texts: PageTexts,
): string {
  const isElsewhere = expected !== actual;
  const cause = isElsewhere
    ? texts.text('lost.otherOrigin', { actual, expected })
    : texts.text('lost.noSession');
  const minutes = texts.minutes(Math.round(transactionTtlSeconds / 60));
  const isHttps = baseUrl.startsWith('https:');
  const causes = [
    ...(isHttps ? [] : [texts.text('lost.secureRefused', { expected })]),
    texts.text('lost.tooLong', { minutes }),
    texts.text('lost.cookiesBlocked', { host: new URL(baseUrl).host }),
    texts.text('lost.otherBrowser'),
    texts.text('lost.tooMany', { count: String(MAX_OPEN_SIGN_INS) }),
    ...(isHttps ? [texts.text('lost.http')] : []),
  ];
  const facts = [
    [texts.text('lost.cookie'), codeFact(cookie)],
    [texts.text('lost.expected'), codeFact(expected)],
    [texts.text('lost.actual'), codeFact(actual)],
    [texts.text('error.code'), codeFact('session_not_found')],
    [texts.text('error.request'), codeFact(requestId)],
  ] as const;
  return `<main>
<section>
<h1>${texts.html('lost.title')}</h1>
<p class="status" data-mood="bad">${escapeHtml(cause)}</p>
<p>${texts.html('lost.advice')}</p>
<h2>${texts.html('lost.causes')}</h2>
<ul>
${causes.map((text) => `<li>${escapeHtml(text)}</li>`).join('\n')}
</ul>
</section>
<section>
<details>
<summary>${texts.html('error.details')}</summary>
${factList(facts)}
</details>
</section>
</main>`;
}
