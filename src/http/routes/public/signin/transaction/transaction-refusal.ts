import type { ErrorCode } from '../../../../../errors/catalogue.ts';
import { isServiceError, ServiceError } from '../../../../../errors/service-error.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { ErrorContext, ErrorRenderer } from '../../../../exchange/exchange-types.ts';
import type { Site } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { codeFact, factList, renderSigninPageError } from '../authorize/error-page.ts';
import { MAX_OPEN_SIGN_INS, transactionCookieName } from '../cookies.ts';

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
    if (fault.code === 'transaction.redeemed' || fault.code === 'transaction.finished') {
      const isTaken = fault.code === 'transaction.redeemed';
      return { title: texts.text('finished.title'), main: finishedMain(isTaken, texts) };
    }
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

/** @param isTaken - Whether the app has taken the response; otherwise it is not known whether it has. */
function finishedMain(isTaken: boolean, texts: PageTexts): string {
  const taken = isTaken ? `\n<p>${texts.html('finished.text')}</p>` : '';
  return `<main>
<section>
<h1>${texts.html('finished.title')}</h1>${taken}
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

type Headers = ReadonlyMap<string, string>;

/** Values of `Sec-Fetch-Site` with which a form is accepted for a sign-in; `none`: not caused by a page. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Refuses a form from another origin. The cookie is `SameSite=Lax`, so this adds protection against sibling hosts of
 * the same site. `Origin: null` is accepted: browsers send it from the sign-in page itself, because its policy is
 * `no-referrer`.
 *
 * @param refusal - Code of the ServiceError that it throws.
 */
export function requireOwnOrigin(
  headers: Headers,
  baseUrl: string,
  refusal: ErrorCode = 'transaction.not_found',
): void {
  const origin = headers.get('origin');
  const isForeignOrigin = origin !== undefined && origin !== 'null' && origin !== new URL(baseUrl).origin;
  const isForeignSite = !OWN_SITES.has(headers.get('sec-fetch-site') ?? 'none');
  if (isForeignOrigin || isForeignSite) throw new ServiceError(refusal);
}

/**
 * Returns the origin of a request, if known: its `Origin`, else its `Host` with the scheme of `baseUrl`, because a
 * request does not contain its scheme.
 */
function actualOrigin(headers: Headers | undefined, baseUrl: string): string {
  const origin = headers?.get('origin');
  if (origin !== undefined && origin !== 'null') return origin;
  return `${new URL(baseUrl).protocol}//${headers?.get('host') ?? ''}`;
}
