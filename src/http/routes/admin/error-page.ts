import { ERRORS } from '../../../errors/catalogue.ts';
import { factsOf } from '../../../errors/explain.ts';
import type { ErrorSpec } from '../../../errors/spec.ts';
import { escapeHtml } from '../../../text.ts';
import { renderAdminError } from '../../errors/admin.ts';
import type { HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { type Page, renderPage, TOOL_PAGE_HEADERS } from '../../pages/render-page.ts';

/**
 * Builds `GET /errors`, the error catalogue as a page without a script: each code is a section with its name as id, to
 * which the dashboard links. It needs no token, since the catalogue is the same in every deployment.
 */
export function errorPageRoute(urls: Pick<Page, 'styleUrl' | 'iconUrl'>): Route {
  // Rendered at the first request, because it takes longer than most parts of a start.
  let page: HttpResponse | undefined;
  const made = (): HttpResponse => ({
    status: 200,
    headers: TOOL_PAGE_HEADERS,
    body: renderPage({ ...urls, title: 'Error codes – Proofgate', body: bodyOf() }),
  });
  return {
    method: 'GET',
    path: '/errors',
    head: true,
    bodyLimitBytes: 0,
    refusesOptions: true,
    renderError: renderAdminError,
    handler: () => {
      page ??= made();
      return page;
    },
  };
}

function bodyOf(): string {
  const sections = Object.entries(ERRORS).map(([code, spec]) => sectionOf(code, spec));
  return `<main class="catalogue">
<div class="view-head"><h1>Error codes</h1>
<p class="lead">What each code of the log, of the metrics, of commands and of the admin API means, and what helps.
Clients of the interfaces see the coarser code that is listed with it.</p></div>
${sections.join('\n')}
</main>`;
}

function sectionOf(code: string, spec: ErrorSpec): string {
  const facts = factsOf(spec).map(([name, text]) => `<dt>${escapeHtml(name)}</dt><dd>${withCode(text)}</dd>`);
  return `<section id="${code}"><h2>${withCode(spec.title)}</h2>
<p><code>${code}</code></p><dl>${facts.join('')}</dl></section>`;
}

/** Escapes a text; text between backticks becomes code. */
function withCode(text: string): string {
  const parts = text.split('`').map((part) => escapeHtml(part));
  return parts.map((part, index) => (index % 2 === 1 ? `<code>${part}</code>` : part)).join('');
}
