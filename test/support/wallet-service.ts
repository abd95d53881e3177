import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CHROMIUM_SKIP, isChromiumPresent, launchChromium } from './browser/browser.ts';
import { CIRCUIT_SKIP, developmentCircuit, linkDevelopmentCircuit } from './crypto/development-circuit.ts';
import { type StartAppOptions, type StartedApp, startApp } from './server/start-app.ts';

/** Whether Chromium or the circuit is absent, so that nothing can be proved in a page. */
export const isWalletAbsent: boolean = !isChromiumPresent || developmentCircuit === undefined;
/** What is absent, for the name of a suite that is skipped; empty when all is there. */
export const WALLET_SKIP: string = `${CHROMIUM_SKIP}${CIRCUIT_SKIP}`;

/** A service that can prove, and a browser to look at its wallet. */
export interface WalletService {
  readonly app: StartedApp;
  readonly browser: Browser;
  readonly dataDir: string;
  end(): Promise<void>;
}

/** Starts a service with the development circuit in a data folder of its own, and a browser. */
export async function startWalletService(
  options: Omit<StartAppOptions, 'dataDir'> = {},
): Promise<WalletService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-wallet-'));
  await linkDevelopmentCircuit(dataDir);
  const app = await startApp({ ...options, dataDir });
  const browser = await launchChromium();
  return {
    app,
    browser,
    dataDir,
    async end() {
      await browser.close();
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
