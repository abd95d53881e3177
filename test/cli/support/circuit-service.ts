import { afterAll, beforeAll } from 'vitest';
import { linkDevelopmentCircuit } from '../../support/crypto/development-circuit.ts';
import { freePort } from '../../support/free-port.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { fillUsedFolder } from '../../support/server/used-folder.ts';
import { type CliFolder, makeEmptyCliFolder } from './cli.ts';

/**
 * A service in this process with the development circuit, and the folder that it shares with commands. Read it within tests
 * only.
 */
export interface CircuitService {
  readonly folder: CliFolder;
  readonly app: StartedApp;
  readonly baseUrl: string;
}

/** Registers hooks that start the service before the tests of the calling suite and stop it after them. */
export function useCircuitService(more: Readonly<Record<string, string>> = {}): CircuitService {
  let folder: CliFolder | undefined;
  let app: StartedApp | undefined;
  let baseUrl: string | undefined;
  beforeAll(async () => {
    folder = await makeEmptyCliFolder();
    await fillUsedFolder(folder.path, {});
    await linkDevelopmentCircuit(folder.path);
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    const settings = { baseUrl, 'server.host': '127.0.0.1', 'server.port': String(port), ...more };
    app = await startApp({ dataDir: folder.path, settings });
  });
  afterAll(async () => {
    await app?.stop();
    await folder?.remove();
  });
  return {
    get folder() {
      return started(folder);
    },
    get app() {
      return started(app);
    },
    get baseUrl() {
      return started(baseUrl);
    },
  };
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the service is available only within tests');
  return part;
}
