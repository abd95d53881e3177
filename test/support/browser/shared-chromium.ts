/** The one Chromium of a test run, which `.scripts/vitest-setup.mjs` shares with all test files. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer, LaunchOptions } from 'playwright-core';

/** The shell draws nothing for a screen, and takes three quarters of the processor time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** Path of the program. */
export const CHROMIUM: string =
  process.env.PROOFGATE_TEST_CHROMIUM ?? PROGRAMS.find((path) => existsSync(path)) ?? PROGRAMS[1];

/** Whether it is installed. */
export const isChromiumPresent: boolean = existsSync(CHROMIUM);

// Chromium does not start as root with a sandbox. The resolver rules prevent lookups of outside hosts.
const FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** Options with which playwright starts it. The time a test may take limits the start, too. */
export const CHROMIUM_OPTIONS: LaunchOptions = {
  executablePath: CHROMIUM,
  headless: true,
  args: [...FLAGS],
  timeout: 0,
};

/** Where tests learn the address of the browser. */
export interface SharedChromium {
  /** Answers with the address, in the WebSocket protocol of playwright. */
  readonly url: string;
  /** Ends the browser if it was started. */
  close(): Promise<void>;
}

/** Serves the address of a headless Chromium, which is started at the first request. */
export async function shareChromium(): Promise<SharedChromium> {
  let starting: Promise<BrowserServer> | undefined;
  const server = createServer(async (_request, response) => {
    try {
      starting ??= startChromium();
      response.end((await starting).wsEndpoint());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await (await starting?.catch(() => undefined))?.close();
    },
  };
}

async function startChromium(): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core');
  return await chromium.launchServer(CHROMIUM_OPTIONS);
}
