import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  useWatchedPage,
} from '../../support/browser/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { type Interop, startInterop } from '../../support/interop/relying-party.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { approve, decline } from '../../support/test-wallet.ts';
import { walletLink } from './support/app-page.ts';
import { type RunningProgram, startByShell } from './support/program.ts';
import { valuesFor } from './support/sign-in-app.ts';
import { scratchAt } from './support/snippets.ts';
import { missingNext, NEXT_FOLDER } from './support/toolchains.ts';

const missing = missingNext();
const nextSkip = missing === undefined ? '' : ` [skipped: ${missing}]`;
describe.skipIf(missing !== undefined || !isChromiumPresent)(
  `the app of sign-in.md in Next.js with Auth.js${nextSkip}${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  () => {
    const scratch = scratchAt(NEXT_FOLDER, true);
    let interop: Interop;
    let client: TestClient;
    let app: RunningProgram;
    let origin: string;
    const watched = useWatchedPage((fault) => /favicon|Failed to load resource/.test(fault));
    beforeAll(async () => {
      interop = await startInterop();
      const port = await freePort();
      origin = `http://localhost:${port}`;
      const redirectUris = [`${origin}/api/auth/callback/proofgate`];
      client = await interop.service.addClient({ redirectUris, requirePkce: true });
      for (const file of ['auth.ts', 'app/api/auth/[...nextauth]/route.ts', 'app/page.tsx'])
        scratch.add('sign-in', file);
      scratch.write('app/layout.tsx', LAYOUT);
      scratch.write('tsconfig.json', TSCONFIG);
      app = await startByShell(scratch, {
        guide: 'sign-in',
        file: 'start-next.sh',
        values: { ...valuesFor(interop.issuer, client), 'npx next': 'node_modules/.bin/next' },
        env: { NEXT_TELEMETRY_DISABLED: '1' },
        port,
      });
    }, 300_000);
    afterAll(async () => {
      await app?.end();
      await interop?.end();
    });

    it('signs in and out', async () => {
      const { page } = watched;
      await page.goto(origin);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await approve(await walletLink(page));
      await page.getByText(`${await interop.subFor(client)}, orb`).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(watched.faults).toEqual([]);
    });

    it('has no session when the person declines', async () => {
      const { page } = watched;
      await page.goto(origin);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await decline(await walletLink(page));
      await page.getByRole('link', { name: 'Back to ' }).click();
      await page.waitForURL((url) => url.searchParams.has('error'));
      await page.goto(origin);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });
  },
);

/** What `create-next-app` makes. */
const LAYOUT = `import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`;
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: 'ES2022',
    lib: ['dom', 'esnext'],
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    skipLibCheck: true,
    noEmit: true,
    allowJs: true,
    esModuleInterop: true,
    resolveJsonModule: true,
    isolatedModules: true,
    incremental: true,
    paths: { '@/*': ['./*'] },
    plugins: [{ name: 'next' }],
  },
  include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts'],
  exclude: ['node_modules'],
});
