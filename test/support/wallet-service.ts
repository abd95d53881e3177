import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { CHROMIUM_SKIP, isChromiumPresent, openChromium } from './browser/browser.ts';
import { CIRCUIT_SKIP, developmentCircuit, linkDevelopmentCircuit } from './crypto/development-circuit.ts';
import { type StartAppOptions, type StartedApp, startApp } from './server/start-app.ts';

/** Whether Chromium or the circuit is missing, so that no page can prove. */
export const isWalletAbsent: boolean = !isChromiumPresent || developmentCircuit === undefined;
/** Suffix of the title of a skipped suite that names what is missing; empty when nothing is. */
export const WALLET_SKIP: string = `${CHROMIUM_SKIP}${CIRCUIT_SKIP}`;

/** A service whose wallet can prove, and a browser. */
export interface WalletService {
  readonly app: StartedApp;
  readonly browser: Browser;
  readonly dataDir: string;
  end(): Promise<void>;
}

/** Starts a service with the development circuit in a temporary data folder, and a browser. */
export async function startWalletService(
  options: Omit<StartAppOptions, 'dataDir'> = {},
): Promise<WalletService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-wallet-'));
  await linkDevelopmentCircuit(dataDir);
  const app = await startApp({ ...options, dataDir });
  const browser = await openChromium();
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

/** Starts a service and a browser for the tests of a suite, and ends them after it. */
export function useWalletService(options: Omit<StartAppOptions, 'dataDir'> = {}): Omit<WalletService, 'end'> {
  const started: Partial<WalletService> = {};
  beforeAll(async () => void Object.assign(started, await startWalletService(options)));
  afterAll(() => started.end?.());
  return started as WalletService;
}
