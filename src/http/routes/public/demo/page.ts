import type { CircuitStatus, DemoConfig, DemoPageConfig } from '../../../../pages.ts';
import { escapeHtml } from '../../../../text.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { type Assets, createAssets } from '../../../pages/assets.ts';
import { readClientFile } from '../../../pages/client-files.ts';
import { pageHeaders } from '../../../pages/page-headers.ts';
import { renderPage } from '../../../pages/render-page.ts';
import { CIRCUIT_STATUS_PATH } from '../wallet/calls.ts';

/** Dependencies of the pages of the demo. */
export interface DemoPageParts {
  readonly basePath: string;
  readonly assets: Assets<DemoAsset>;
  readonly config: DemoConfig;
}

/** Dependencies of the start page. */
export interface DemoStartParts extends DemoPageParts {
  readonly hasWorldId4: boolean;
  /** Returns the build status of the circuit; called for each page. */
  readonly circuit: () => Promise<CircuitStatus>;
}

/** Builds `GET /demo`: the shell of the page, whose script reads `data-config` and builds the rest. */
export function demoPageRoute({ basePath, assets, config, circuit, hasWorldId4 }: DemoStartParts): Route {
  return {
    method: 'GET',
    path: `${basePath}/demo`,
    head: true,
    bodyLimitBytes: 0,
    headers: pageHeaders(),
    renderError: renderSigninError,
    handler: async () => {
      const pageConfig: DemoPageConfig = {
        ...config,
        walletUrl: `${basePath}/wallet`,
        hasWorldId4,
        circuit: await circuit(),
        circuitUrl: `${basePath}${CIRCUIT_STATUS_PATH}`,
      };
      return {
        status: 200,
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
        body: renderPage({
          title: 'Demo relying party',
          styleUrl: assets.url('demo.css'),
          iconUrl: `${basePath}/favicon.ico`,
          scriptUrl: assets.url('demo-page.js'),
          banner: 'development',
          body: demoBody(pageConfig),
        }),
      };
    },
  };
}

/** Returns the body of a page of the demo; its script fills it. */
export function demoBody(config: DemoConfig): string {
  return `<main id="demo" data-config="${escapeHtml(JSON.stringify(config))}">
<noscript><p>This demo is an app that runs in the browser. It needs JavaScript.</p></noscript>
</main>`;
}

/** Files that the pages of the demo load under names that change with their content. */
export type DemoAsset = 'demo-page.js' | 'demo-callback.js' | 'demo.css';

const SCRIPT = 'text/javascript; charset=utf-8';

/**
 * Reads the files of the demo.
 *
 * @throws ServiceError `page.not_built`
 */
export async function loadDemoAssets(basePath: string): Promise<Assets<DemoAsset>> {
  return createAssets<DemoAsset>(`${basePath}/demo`, [
    { name: 'demo-page.js', contentType: SCRIPT, body: await readClientFile('demo-page.js') },
    { name: 'demo-callback.js', contentType: SCRIPT, body: await readClientFile('demo-callback.js') },
    { name: 'demo.css', contentType: 'text/css; charset=utf-8', body: await readClientFile('demo.css') },
  ]);
}
