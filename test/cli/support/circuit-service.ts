import { afterAll, beforeAll } from 'vitest';
import { linkDevelopmentCircuit } from '../../support/crypto/development-circuit.ts';
import { freePort } from '../../support/free-port.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { type CliFolder, makeCliFolder } from './cli.ts';

/**
 * A service with the development circuit, and the folder that it shares with commands. Read it within tests
 * only.
 */
export interface CircuitService {
  readonly folder: CliFolder;
  readonly server: ServerProcess;
  readonly baseUrl: string;
}

/** Registers hooks that start the service before the tests of the calling suite and stop it after them. */
export function useCircuitService(): CircuitService {
  let folder: CliFolder | undefined;
  let server: ServerProcess | undefined;
  let baseUrl: string | undefined;
  beforeAll(async () => {
    folder = await makeCliFolder();
    await linkDevelopmentCircuit(folder.path);
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    server = await startServer(folder.path, {
      PROOFGATE_BASE_URL: baseUrl,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(port),
    });
  });
  afterAll(async () => {
    await server?.end('SIGTERM');
    await folder?.remove();
  });
  return {
    get folder() {
      return started(folder);
    },
    get server() {
      return started(server);
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
