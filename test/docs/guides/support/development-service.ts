/** A service in the development profile with its circuit, for shell blocks that use its wallet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkDevelopmentCircuit } from '../../../support/crypto/development-circuit.ts';
import { freePort } from '../../../support/free-port.ts';
import { startServer } from '../../../support/server/server-process.ts';
import type { ShellService } from './program.ts';

/** A running service, as `npm start` makes it. */
export interface DevelopmentService extends ShellService {
  readonly dataDir: string;
  end(): Promise<void>;
}

/**
 * Starts the compiled program with an empty data folder. Its commands find it by the variables of `env`.
 *
 * @param more - Further variables.
 */
export async function startDevelopmentService(
  more: Readonly<Record<string, string>> = {},
): Promise<DevelopmentService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-guide-data-'));
  await linkDevelopmentCircuit(dataDir);
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const env = {
    PROOFGATE_PROFILE: 'development',
    PROOFGATE_DATA_DIR: dataDir,
    PROOFGATE_BASE_URL: baseUrl,
    PROOFGATE_SERVER_PORT: String(port),
    PROOFGATE_ADMIN_PORT: '0',
    ...more,
  };
  const server = await startServer(dataDir, env);
  return {
    baseUrl,
    dataDir,
    env,
    async end() {
      await server.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
