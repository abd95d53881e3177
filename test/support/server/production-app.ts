import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartedApp, startApp } from './start-app.ts';

/** Options of a service in profile production. */
export interface ProductionOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with the data folder before the start. */
  readonly prepare?: (dataDir: string) => Promise<unknown>;
}

/** Settings that production accepts, with everything in one data folder. */
export function productionSettings(dataDir: string): Readonly<Record<string, string>> {
  return {
    profile: 'production',
    baseUrl: 'https://id.example',
    'storage.url': `libsql:${join(dataDir, 'proofgate.db')}`,
    'admin.token': 'a-token-that-nobody-guesses-0123456789',
    'keys.masterKey': 'q'.repeat(43),
    'refresh.signingSeed': 'a5'.repeat(32),
    'server.host': '127.0.0.1',
    'shutdown.drainDelayMs': '0',
  };
}

/** Starts the service in this process in profile production, with a store and a data folder that end with it. */
export async function startProductionApp(options: ProductionOptions = {}): Promise<StartedApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-production-'));
  await options.prepare?.(dataDir);
  const app = await startApp({ dataDir, settings: { ...productionSettings(dataDir), ...options.settings } });
  return {
    ...app,
    async stop() {
      const isClean = await app.stop();
      rmSync(dataDir, { recursive: true, force: true });
      return isClean;
    },
  };
}
