/**
 * HTML pages: the shell of every page, the frame shared by the pages of a deployment (`site.ts`), their
 * headers, their texts in each language (`texts/`), escaping, and files under names that change with their
 * content. The content of a page is made by its route; its browser code is in `src/client`. Rules:
 * spec/sign-in.md#sign-in-page.
 */

export { escapeHtml } from '../../text.ts';
export { type AssetSource, type Assets, assetPath, createAssets } from './assets.ts';
export { readClientFile } from './client-files.ts';
export {
  contentSecurityPolicy,
  OWN_WINDOW,
  PAGE_POLICY,
  type Policy,
  pageHeaders,
  TOOL_PAGE_HEADERS,
} from './page-headers.ts';
export { pageLanguage } from './page-language.ts';
export { folded, type Page, renderPage } from './render-page.ts';
export { languageHeaders, loadSite, renderSitePage, type Site, type SitePage } from './site.ts';
export { faviconAsset, readIcon } from './site-assets.ts';
export { type PageTexts, pageTexts, type TextKey } from './texts/index.ts';
