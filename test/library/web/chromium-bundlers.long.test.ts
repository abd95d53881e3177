// Rules: src/docs/library.md#in-a-page
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snippet } from '../../docs/guides/support/snippets.ts';
import { BROWSER_TEST, CHROMIUM_SKIP, openChromium, openWatchedPage } from '../../support/browser/browser.ts';
import { type PackedLibrary, packLibrary, toolPath } from '../support/packed-library.ts';
import { KEY, PROOF, SIGNALS } from '../support/semaphore-statement.ts';
import { CASES, EXPECTED_ANSWERS, TRUE_STATEMENTS } from '../support/statements.ts';
import { type Bundle, esbuild, rolldown, vite, viteExample, webpack } from './support/bundlers.ts';
import { serveFolder } from './support/static-site.ts';

const PROOFS = 1000;
// Far fewer than there are, even on a fast machine; a page that is busy with the proofs draws two.
const FRAMES = 5;

const WEBPACK_SKIP =
  toolPath('webpack') === undefined ? ' [skipped: no webpack in .cache/library-tools]' : '';

interface Answers {
  readonly arithmetic: string;
  readonly workers: number;
  readonly workerRestarts: number;
  readonly answers: readonly string[];
}

interface Drawn {
  readonly value: unknown;
  readonly frames: number;
  readonly longestMs: number;
  readonly milliseconds: number;
}

/** Calls a function of page.mjs. */
function call<T>(page: Page, name: string, argument: unknown): Promise<T> {
  return page.evaluate(
    ([called, data]) =>
      (globalThis as unknown as Record<string, (data: unknown) => Promise<T>>)[called as string]?.(
        data,
      ) as Promise<T>,
    [name, argument] as const,
  );
}

describe.skipIf(CHROMIUM_SKIP !== '')(`proofgate in a page${CHROMIUM_SKIP}`, () => {
  let browser: Browser;
  let packed: PackedLibrary;

  beforeAll(async () => {
    [browser, packed] = await Promise.all([openChromium(), packLibrary()]);
  });

  afterAll(async () => {
    await browser?.close();
    await packed?.remove();
  });

  /** Bundles the page and opens it under the strict policy; nothing in it may be refused. */
  async function withPage(bundle: Bundle, test: (page: Page) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(packed.project, 'page-'));
    await bundle(folder);
    const site = await serveFolder(join(folder, 'out'));
    const { page, faults, close } = await openWatchedPage(browser, (fault) =>
      fault.includes('this worker dies'),
    );
    try {
      await page.goto(site.origin);
      await expect.poll(() => page.evaluate('globalThis.isReady')).toBe(true);
      await test(page);
      expect(faults).toEqual([]);
    } finally {
      await close();
      await site.close();
    }
  }

  const checked = { key: KEY, statements: CASES };

  it.for([
    ['esbuild', esbuild, ''],
    ['Vite', vite, ''],
    ['rolldown', rolldown, ''],
    [`webpack${WEBPACK_SKIP}`, webpack, WEBPACK_SKIP],
  ] as const)(
    'gives the expected answers bundled by %s',
    BROWSER_TEST,
    async ([, bundle, skip], { skip: skipTest }) => {
      if (skip !== '') skipTest();
      await withPage(bundle, async (page) => {
        const own = await call<Answers>(page, 'answers', { ...checked, backend: 'auto' });
        expect(own).toMatchObject({ workers: 0, answers: EXPECTED_ANSWERS });
        const other = await call<Answers>(page, 'answers', { ...checked, backend: 'auto', inWorker: true });
        expect(other).toMatchObject({ workers: 1, answers: EXPECTED_ANSWERS, arithmetic: own.arithmetic });
        expect(await call(page, 'poseidonOf', [1, 2])).toBe(
          '7853200120776062878684798364095072458815029376092732009249414926327459813530',
        );
      });
    },
  );

  it('runs the page of the documentation', BROWSER_TEST, async () => {
    const folder = mkdtempSync(join(packed.project, 'example-'));
    await viteExample(folder, snippet('../library', 'page.js'));
    const files = { verification_key: KEY, proof: PROOF, public: SIGNALS };
    for (const [name, value] of Object.entries(files))
      writeFileSync(join(folder, 'out', `${name}.json`), JSON.stringify(value));
    const site = await serveFolder(join(folder, 'out'));
    const { page, faults, close } = await openWatchedPage(browser);
    try {
      await page.goto(site.origin);
      await expect.poll(() => page.evaluate('document.body.textContent')).toBe('2 of 2 proofs hold');
      expect(faults).toEqual([]);
    } finally {
      await close();
      await site.close();
    }
  });

  it('gives the expected answers with each module', BROWSER_TEST, async () => {
    await withPage(vite, async (page) => {
      for (const backend of ['wasm-relaxed', 'wasm-simd', 'wasm-scalar'])
        expect(await call<Answers>(page, 'answers', { ...checked, backend })).toMatchObject({
          arithmetic: backend,
          answers: EXPECTED_ANSWERS,
        });
    });
  });

  it(
    'goes on drawing while a worker verifies 1,000 proofs, and replaces a worker that dies',
    BROWSER_TEST,
    async () => {
      await withPage(esbuild, async (page) => {
        const statements = Array.from(
          { length: PROOFS },
          (_, index) => TRUE_STATEMENTS[index % TRUE_STATEMENTS.length],
        );
        const drawn = await call<Drawn>(page, 'drawWhileVerifying', { key: KEY, statements });
        const idle = await call<Drawn>(page, 'drawOnly', drawn.milliseconds);
        console.info('frames while verifying', drawn, 'idle', idle);
        expect(drawn.value).toBe(PROOFS);
        expect(drawn.frames).toBeGreaterThan(FRAMES);

        const mortal = { ...checked, backend: 'auto', inWorker: true, worker: 'mortal' };
        expect(await call<Answers>(page, 'answers', mortal)).toMatchObject({
          answers: EXPECTED_ANSWERS,
          workerRestarts: 1,
        });
      });
    },
  );
});
