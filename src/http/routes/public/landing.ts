import type { Config } from '../../../config/settings/types.ts';
import { LANGUAGES } from '../../../oidc/languages.ts';
import { escapeHtml } from '../../../text.ts';
import { renderSigninError } from '../../errors/signin.ts';
import type { HttpResponse, Route } from '../../exchange/exchange-types.ts';
import { prefersHtml } from '../../headers/request-headers.ts';
import { pageLanguage } from '../../pages/page-language.ts';
import { ISOLATION, pageHeaders } from '../../pages/render-page.ts';
import { languageHeaders, renderSitePage, type Site } from '../../pages/site.ts';
import { type PageTexts, pageTexts } from '../../pages/texts/page-texts.ts';

/** Settings that the page shows. */
export interface LandingParts {
  readonly config: Pick<Config, 'baseUrl' | 'profile' | 'docs'> & {
    readonly signin: Pick<Config['signin'], 'enabled' | 'documentationUrl'>;
  };
  readonly site: Site;
}

interface Link {
  readonly url: string;
  readonly text: 'landing.demo' | 'landing.wallet' | 'landing.docs' | 'landing.discovery';
}

/**
 * Builds `GET /`, which explains the service to a person in a browser and links the metadata for an API client. Served
 * at the origin and at `baseUrl`.
 */
export function landingRoutes({ config, site }: LandingParts): Route[] {
  const pages = new Map(
    LANGUAGES.map((language) => [language, landingPage(config, site, pageTexts(language))]),
  );
  const document: HttpResponse = {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Vary: 'Accept' },
    body: JSON.stringify(landingDocument(config, site)),
  };
  const { basePath } = site;
  return [...new Set(['/', basePath === '' ? '/' : basePath, `${basePath}/`])].map((path) => ({
    method: 'GET',
    path,
    head: true,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    handler({ headers }) {
      if (!prefersHtml(headers.get('accept'))) return document;
      return pages.get(pageLanguage(undefined, headers.get('accept-language'))) ?? document;
    },
  }));
}

function discoveryUrl({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}/.well-known/openid-configuration`;
}

function landingDocument(
  { baseUrl, docs, signin }: LandingParts['config'],
  { operatorName, policyUrl, termsUrl }: Site,
): Readonly<Record<string, string | undefined>> {
  return {
    service: 'proofgate',
    operator: operatorName,
    ...(signin.enabled ? { issuer: baseUrl, openid_configuration: discoveryUrl({ baseUrl }) } : {}),
    ...(docs.enabled ? { api_reference: `${baseUrl}/docs` } : {}),
    service_documentation: signin.documentationUrl,
    op_policy_uri: policyUrl,
    op_tos_uri: termsUrl,
  };
}

function landingPage(config: LandingParts['config'], site: Site, texts: PageTexts): HttpResponse {
  const links = linksOf(config, site).map(
    ({ url, text }) => `<li><a class="link" href="${escapeHtml(url)}">${texts.html(text)}</a></li>`,
  );
  const list =
    links.length === 0
      ? ''
      : `\n<h2>${texts.html('landing.links')}</h2>\n<ul class="links">\n${links.join('\n')}\n</ul>`;
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      ...ISOLATION,
      ...languageHeaders(texts),
      'Content-Type': 'text/html; charset=utf-8',
      Vary: 'Accept, Accept-Language',
    },
    body: renderSitePage(site, texts, {
      title: site.operatorName,
      main: `<main>
<section>
<h1>${escapeHtml(site.operatorName)}</h1>
<p>${texts.html('landing.text')}</p>
<p>${texts.html('landing.advice')}</p>${list}
</section>
</main>`,
    }),
  };
}

/** Returns the links as paths, so that they work at any address under which the page was opened. */
function linksOf({ profile, docs, signin }: LandingParts['config'], { basePath }: Site): Link[] {
  const isDevelopment = profile !== 'production';
  return [
    ...(isDevelopment && signin.enabled ? [{ url: `${basePath}/demo`, text: 'landing.demo' } as const] : []),
    ...(isDevelopment ? [{ url: `${basePath}/wallet`, text: 'landing.wallet' } as const] : []),
    ...(docs.enabled ? [{ url: `${basePath}/docs`, text: 'landing.docs' } as const] : []),
    ...(signin.enabled
      ? [{ url: `${basePath}/.well-known/openid-configuration`, text: 'landing.discovery' } as const]
      : []),
  ];
}
