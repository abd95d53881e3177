/**
 * Pages for people: one shell that every page has, the headers that come with it, escaping of text, and files under
 * names that change with their content. What a page shows is made by its route, its browser code lies in `src/client`.
 */
export { type AssetSource, type Assets, createAssets } from './assets.ts';
export { readClientFile } from './client-files.ts';
export { escapeHtml } from './escape-html.ts';
export { contentSecurityPolicy, PAGE_POLICY, type Policy, pageHeaders } from './page-headers.ts';
export { type Page, renderPage } from './render-page.ts';
