import type { Config } from '../../config/settings/types.ts';
import { basePathOf } from '../../config/values/public-address.ts';
import { escapeHtml } from '../../text.ts';
import type { Assets } from './assets.ts';
import { renderPage } from './render-page.ts';
import { loadSiteAssets, type SiteAsset } from './site-assets.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** Properties common to all pages of a deployment: files, operator, and links to its policies. */
export interface Site {
  /** Path of the service. */
  readonly basePath: string;
  readonly assets: Assets<SiteAsset>;
  readonly operatorName: string;
  /** Path of the operator's logo. */
  readonly logoUrl: string | undefined;
  readonly policyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  /** Whether pages have a development banner and developer sections. */
  readonly isDevelopment: boolean;
}

/** One page of the site. */
export interface SitePage {
  readonly title: string;
  readonly script?: 'sign-in-page.js' | 'wait-page.js';
  /** Whole seconds after which a browser without scripts reloads the page. */
  readonly refreshWithoutScriptSeconds?: number;
  /** HTML of the `main` element, including its tags. */
  readonly main: string;
}

/**
 * Loads the files and settings of the pages.
 *
 * @throws ServiceError `page.not_built`
 */
export async function loadSite(config: Pick<Config, 'baseUrl' | 'profile' | 'signin'>): Promise<Site> {
  const { baseUrl, profile, signin } = config;
  const basePath = basePathOf(baseUrl);
  const { assets, logo } = await loadSiteAssets(basePath, signin);
  const { operatorName, policyUrl, termsUrl } = signin;
  return {
    basePath,
    assets,
    operatorName,
    logoUrl: logo && assets.url(logo),
    policyUrl,
    termsUrl,
    isDevelopment: profile !== 'production',
  };
}

/** Renders a page with the operator's name in its header and footer. */
export function renderSitePage(site: Site, texts: PageTexts, page: SitePage): string {
  const { assets, isDevelopment } = site;
  const { title, script, refreshWithoutScriptSeconds, main } = page;
  return renderPage({
    title,
    language: texts.language,
    styleUrl: assets.url('sign-in.css'),
    iconUrl: assets.url('favicon.svg'),
    ...(script === undefined ? {} : { scriptUrl: assets.url(script) }),
    ...(isDevelopment ? { banner: texts.text('site.development') } : {}),
    ...(refreshWithoutScriptSeconds === undefined ? {} : { refreshWithoutScriptSeconds }),
    body: `${brand(site)}\n${main}\n${footer(site, texts)}`,
  });
}

/** Returns the headers `Content-Language` and `Vary` of a page. */
export function languageHeaders({ language }: PageTexts): Readonly<Record<string, string>> {
  return { 'Content-Language': language, Vary: 'Accept-Language' };
}

function brand({ logoUrl, operatorName }: Site): string {
  const picture = logoUrl === undefined ? '' : `<img src="${escapeHtml(logoUrl)}" alt="" height="32">`;
  return `<header class="brand">${picture}<span>${escapeHtml(operatorName)}</span></header>`;
}

function footer({ operatorName, policyUrl, termsUrl }: Site, texts: PageTexts): string {
  const link = (url: string | undefined, text: string): string =>
    url === undefined
      ? ''
      : `<li><a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${escapeHtml(text)}</a></li>`;
  const links = link(policyUrl, texts.text('site.policy')) + link(termsUrl, texts.text('site.terms'));
  const list = links === '' ? '' : `\n<ul>${links}</ul>`;
  return `<footer class="site">
<p>${texts.html('site.runBy', { operator: escapeHtml(operatorName) })}</p>${list}
</footer>`;
}
