import type { BrowserSession, LogoutRequest } from '../../../../../oidc/logout/sign-out.ts';
import { redirectHost } from '../../../../../oidc/transaction/attempts.ts';
import { escapeHtml } from '../../../../../text.ts';
import type { HttpResponse } from '../../../../exchange/exchange-types.ts';
import { folded, pageHeaders } from '../../../../pages/render-page.ts';
import { languageHeaders, renderSitePage, type Site, type SitePage } from '../../../../pages/site.ts';
import type { PageTexts } from '../../../../pages/texts/page-texts.ts';
import { SIGNIN_HEADERS } from '../authorize/authorization-answer.ts';

/** The field of the form that holds the checked request, encoded as a query. */
export const REQUEST_FIELD = 'request';

/** Dependencies of all pages of a sign-out. */
export interface LogoutPageParts {
  readonly site: Site;
  readonly texts: PageTexts;
}

/**
 * Returns the page that asks whether to sign out (spec/sign-in.md#sign-out-pages). It works without scripts.
 *
 * @param carried - The request for the hidden field of the form; encoded, so that HTML changes no character.
 */
export function confirmationPage(
  sessions: readonly BrowserSession[],
  { redirectUri }: Pick<LogoutRequest, 'redirectUri'>,
  carried: string,
  { site, texts }: LogoutPageParts,
): HttpResponse {
  const names = sessions.map(({ client }) => `<li>${escapeHtml(client.name)}</li>`);
  const host = redirectUri === undefined ? undefined : `<b>${escapeHtml(redirectHost(redirectUri))}</b>`;
  const back = host === undefined ? '' : `\n<p class="host">${texts.html('signin.returnsTo', { host })}</p>`;
  const button = `<button class="primary">${texts.html('logout.button')}</button>`;
  return page(
    texts.text('logout.ask'),
    `<p>${texts.html('logout.askText')}</p>
<ul>
${names.join('\n')}
</ul>${back}
<form method="post" action="${site.basePath}/logout/confirm" class="buttons">
<input type="hidden" name="${REQUEST_FIELD}" value="${escapeHtml(carried)}">
<button class="primary" data-guarded hidden>${texts.html('logout.button')}</button>
<noscript>${folded(texts.html('logout.ask'), button)}</noscript>
</form>
<p class="hint">${texts.html('logout.stay')}</p>`,
    { site, texts },
    'sign-in-page.js',
  );
}

/** Returns the page after a sign-out. */
export function donePage({ client }: Pick<LogoutRequest, 'client'>, parts: LogoutPageParts): HttpResponse {
  const { texts } = parts;
  const title =
    client === undefined ? texts.text('logout.done') : texts.text('logout.doneFrom', { client: client.name });
  return page(title, `<p>${texts.html('logout.doneText')}</p>`, parts);
}

/** Returns the page for a browser without a session to end. */
export function noSessionPage(
  { client }: Pick<LogoutRequest, 'client'>,
  parts: LogoutPageParts,
): HttpResponse {
  const { texts } = parts;
  const title =
    client === undefined ? texts.text('logout.none') : texts.text('logout.noneFrom', { client: client.name });
  return page(title, `<p>${texts.html('logout.noneText')}</p>`, parts);
}

function page(
  title: string,
  content: string,
  { site, texts }: LogoutPageParts,
  script?: SitePage['script'],
): HttpResponse {
  const main = `<main>
<section>
<h1>${escapeHtml(title)}</h1>
${content}
</section>
</main>`;
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      ...SIGNIN_HEADERS,
      ...languageHeaders(texts),
      'Content-Type': 'text/html; charset=utf-8',
    },
    body: renderSitePage(site, texts, { title, main, ...(script === undefined ? {} : { script }) }),
  };
}
