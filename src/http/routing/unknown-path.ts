import type { Config } from '../../config/settings/types.ts';
import { basePathOf } from '../../config/values/public-address.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { LANGUAGES } from '../../oidc/languages.ts';
import { renderRefreshError } from '../errors/refresh.ts';
import { renderSigninError } from '../errors/signin.ts';
import { renderVerifyError } from '../errors/verify.ts';
import type { ErrorRenderer } from '../exchange/exchange-types.ts';
import { prefersHtml } from '../headers/request-headers.ts';
import { pageLanguage } from '../pages/page-language.ts';
import { ISOLATION, pageHeaders } from '../pages/render-page.ts';
import { languageHeaders, renderSitePage, type Site } from '../pages/site.ts';
import { type PageTexts, pageTexts } from '../pages/texts/page-texts.ts';
import type { PrefixFallback } from '../server.ts';

/** Prefixes that only API clients use: unknown paths below them are always answered in JSON. */
const API_PREFIXES: readonly string[] = [
  '/api/',
  '/.well-known/',
  '/v1/',
  '/wallet/api/',
  '/token/',
  '/userinfo/',
  '/introspect/',
  '/revoke/',
  '/jwks/',
];

/** Returns the fallbacks for unknown API paths that no other fallback covers. */
export function apiFallbacks(basePath: string): PrefixFallback[] {
  const prefixes = new Set(['', basePath].flatMap((path) => API_PREFIXES.map((prefix) => path + prefix)));
  return [...prefixes].map((prefix) => ({ prefix, renderError: renderSigninError }));
}

/**
 * Creates the renderer for all other unknown paths: a small page for browsers, the JSON of sign-in for API
 * clients.
 */
export function renderUnknownPath(site: Site): ErrorRenderer {
  const pages = new Map(LANGUAGES.map((language) => [language, notFoundPage(site, pageTexts(language))]));
  return (error, context) => {
    const { method, headers } = context;
    const isRead = method === 'GET' || method === 'HEAD';
    const answer = renderSigninError(error, context);
    if (!isRead || !isServiceError(error, 'http.not_found')) return answer;
    if (!prefersHtml(headers?.get('accept'))) {
      return { ...answer, headers: { ...answer.headers, Vary: 'Accept' } };
    }
    const language = pageLanguage(undefined, headers?.get('accept-language'));
    return {
      ...answer,
      headers: {
        ...pageHeaders(),
        ...ISOLATION,
        ...languageHeaders(pageTexts(language)),
        'Content-Type': 'text/html; charset=utf-8',
        Vary: 'Accept, Accept-Language',
      },
      body: pages.get(language) ?? '',
    };
  };
}

function notFoundPage(site: Site, texts: PageTexts): string {
  return renderSitePage(site, texts, {
    title: texts.text('notFound.title'),
    main: `<main>
<section>
<h1>${texts.html('notFound.title')}</h1>
<p>${texts.html('notFound.text')}</p>
<p>${texts.html('notFound.advice')}</p>
<p><a class="link" href="${site.basePath}/">${texts.html('notFound.home')}</a></p>
</section>
</main>`,
  });
}

/**
 * Returns the fallbacks of verification and refresh, which answer unknown paths below them with their own
 * error body.
 *
 * @param addresses - Public addresses; the interfaces are served below their paths.
 */
export function interfaceFallbacks(addresses: Pick<Config, 'issuerUrl' | 'verifyUrl'>): PrefixFallback[] {
  return [
    ...['/api/v4/', '/api/v1/groth16/'].map((prefix) => ({
      prefix: basePathOf(addresses.verifyUrl) + prefix,
      renderError: renderVerifyError,
    })),
    { prefix: `${basePathOf(addresses.issuerUrl)}/api/v1/`, renderError: renderRefreshError },
  ];
}
