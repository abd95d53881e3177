import { escapeHtml } from '../../text.ts';
import type { ErrorRenderer, HttpResponse, Route } from '../exchange/exchange-types.ts';
import { type Assets, assetPath, clientAsset, createAssets, readClientFile } from '../pages/assets.ts';
import { renderPage, TOOL_PAGE_HEADERS } from '../pages/render-page.ts';
import { faviconAsset } from '../pages/site-assets.ts';

/** Listener that the page describes. */
export interface DocsParts {
  /** Path of the service, as `basePathOf` returns it; the document is at `openapi.json` below it. */
  readonly basePath: string;
  readonly title: string;
  readonly renderError: ErrorRenderer;
}

/** The page and its files. */
interface DocsPage {
  readonly page: HttpResponse;
  readonly assets: Assets;
}

/**
 * Builds `GET /docs`, which shows the OpenAPI document of a listener, and its files (spec/operations.md#openapi).
 *
 * The files are read at the first request. The largest has 1.7 MB. It is held once and sent as the client reads, so a
 * slow client costs no memory; browsers cache it without limit. Nothing is compressed: the page is for operators and
 * developers, and off by default on a public listener in production.
 *
 * @throws ServiceError `page.not_built`
 */
export async function docsRoutes(parts: DocsParts): Promise<Route[]> {
  const { basePath, renderError } = parts;
  // Read and discarded here, so that a start without the files fails.
  await Promise.all([readClientFile('docs-page.js'), readClientFile('swagger-ui.css')]);
  let loading: Promise<DocsPage> | undefined;
  const load = async (): Promise<DocsPage> => {
    loading ??= loadPage(parts);
    return await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  };
  const common = { method: 'GET', head: true, bodyLimitBytes: 0, refusesOptions: true, renderError } as const;
  return [
    { ...common, path: `${basePath}/docs`, handler: async () => (await load()).page },
    {
      ...common,
      path: assetPath(`${basePath}/docs`),
      handler: async ({ params }) => (await load()).assets.answer(params.name ?? ''),
    },
  ];
}

async function loadPage({ basePath, title, renderError }: DocsParts): Promise<DocsPage> {
  const assets = createAssets<'docs-page.js' | 'swagger-ui.js' | 'swagger-ui.css' | 'favicon.svg'>(
    `${basePath}/docs`,
    await Promise.all([
      clientAsset('docs-page.js'),
      clientAsset('swagger-ui.js', ['swagger-ui-bundle.js']),
      clientAsset('swagger-ui.css', ['swagger-ui.css', 'docs.css']),
      faviconAsset(),
    ]),
    renderError,
  );
  const documentUrl = `${basePath}/openapi.json`;
  const page: HttpResponse = {
    status: 200,
    headers: TOOL_PAGE_HEADERS,
    body: renderPage({
      title,
      styleUrl: assets.url('swagger-ui.css'),
      iconUrl: assets.url('favicon.svg'),
      scriptUrl: assets.url('docs-page.js'),
      body: `<main id="docs" data-document-url="${escapeHtml(documentUrl)}" data-program-url="${escapeHtml(assets.url('swagger-ui.js'))}">
<noscript><h1>${escapeHtml(title)}</h1>
<p>This page needs JavaScript. Without it, read <a href="${escapeHtml(documentUrl)}">the OpenAPI document</a>.</p></noscript>
</main>`,
    }),
  };
  return { page, assets };
}
