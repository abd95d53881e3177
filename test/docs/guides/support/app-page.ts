/** Pages of the guides' front ends, and the sign-in page in the same browser. */
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { type ListeningApp, listenApp } from '../../../support/interop/relying-party.ts';

/** Waits for the sign-in page. Returns its link to the wallet. */
export async function walletLink(page: Page): Promise<string> {
  return (await page.locator('#wallet-link').getAttribute('href')) ?? '';
}

/**
 * Starts an app that serves one page at every path, with a script whose exports are on the global `guide`.
 *
 * @param make - Receives the origin. Returns the path of the script, in TypeScript.
 * @param body - HTML of the page.
 */
export async function servePage(make: (origin: string) => Promise<string>, body = ''): Promise<ListeningApp> {
  return await listenApp(async (origin) => {
    const entryPoints = [await make(origin)];
    const options = { bundle: true, write: false, format: 'iife', globalName: 'guide' } as const;
    const script = (await build({ entryPoints, ...options })).outputFiles[0]?.text ?? '';
    const head = '<!doctype html><title>The app</title><link rel="icon" href="data:,">';
    return (request, response) => {
      const isScript = request.url === '/app.js';
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(isScript ? script : `${head}${body}<script src="/app.js"></script>`);
    };
  });
}
