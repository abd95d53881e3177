import { isServiceError, ServiceError } from '../../../../errors/index.ts';
import type { ErrorContext, ErrorRenderer } from '../../../exchange-types.ts';
import { escapeHtml } from '../../../pages/index.ts';
import { renderSigninPageError } from './error-page.ts';
import { transactionCookieName } from './transaction-cookie.ts';
import { actualOrigin } from './transaction-origin.ts';

/** What the pages of refused sign-ins know of the service. */
export interface TransactionRefusalParts {
  readonly styleUrl: string;
  readonly baseUrl: string;
  readonly transactionTtlSeconds: number;
}

/** What a browser that is not in a sign-in is told about it. */
interface LostSession {
  readonly cookie: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Errors below `/authorize/{txn}`. A missing session names the cookie, the origin that was expected and the one that
 * came, likely causes and what to do; a finished sign-in is no fault of anybody. The rest is as at `/authorize`.
 */
export function renderTransactionError(parts: TransactionRefusalParts): ErrorRenderer {
  const { baseUrl, styleUrl } = parts;
  const lostSession = ({ params, headers }: ErrorContext): LostSession => ({
    cookie: transactionCookieName(params.txn ?? ''),
    expected: new URL(baseUrl).origin,
    actual: actualOrigin(headers, baseUrl),
  });
  const render = renderSigninPageError(styleUrl, ({ fault }, context) => {
    if (fault.code === 'transaction.finished') return FINISHED;
    if (fault.code !== 'transaction.not_found') return undefined;
    return lostSessionBody(lostSession(context), parts, context.requestId);
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

const FINISHED = `<section>
<h1>This sign-in is already finished</h1>
<p>The app has got its answer. You can close this page.</p>
<p>If the app does not know you, start again there.</p>
</section>`;

function lostSessionBody(
  { cookie, expected, actual }: LostSession,
  { transactionTtlSeconds, baseUrl }: TransactionRefusalParts,
  requestId: string,
): string {
  const isElsewhere = expected !== actual;
  const cause = isElsewhere
    ? `This page was opened at ${actual}, but sign-in works at ${expected} only.`
    : 'Your browser is not part of this sign-in, or the sign-in is over.';
  const causes = [
    `The sign-in took longer than ${Math.round(transactionTtlSeconds / 60)} minutes.`,
    `Cookies are blocked for ${new URL(baseUrl).host}.`,
    'The link was opened in another browser, or in a private window.',
    ...(baseUrl.startsWith('https:') ? ['The page was opened with http instead of https.'] : []),
  ];
  const facts = [
    ['Missing cookie', cookie],
    ['Expected origin', expected],
    ['Actual origin', actual],
    ['Code', 'session_not_found'],
    ['Request', requestId],
  ];
  return `<section>
<h1>This sign-in cannot go on here</h1>
<p class="status" data-mood="bad">${escapeHtml(cause)}</p>
<p>Go back to the app and start again, with cookies allowed and in one browser.</p>
<h2>Likely causes</h2>
<ul>
${causes.map((text) => `<li>${escapeHtml(text)}</li>`).join('\n')}
</ul>
</section>
<section>
<h2>For developers</h2>
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value ?? '')}</code></dd>`).join('\n')}
</dl>
</section>`;
}
