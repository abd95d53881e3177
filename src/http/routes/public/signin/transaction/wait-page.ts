import type { WaitConfig } from '../../../../../pages.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { SigninRefusal } from '../../../../errors/signin.ts';
import type { ErrorContext } from '../../../../exchange/exchange-types.ts';
import type { SitePage } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';

/** Error code for which this page is shown. */
export const RATE_LIMITED = 'http.rate_limited';

/**
 * Returns the page of a rate-limited request: it shows the waiting time, counts down and continues automatically. It
 * never resubmits a form; after a form it continues with the page of the form, if there is one.
 */
export function waitPage(
  { fault }: SigninRefusal,
  { method, params }: ErrorContext,
  texts: PageTexts,
): SitePage {
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
