import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { SECRET_HMAC_KEY, type TestClient } from '../../../test/support/signin/clients.ts';
import type { SigninEndpoints } from '../../contenders/signin-contender.ts';
import { built } from '../../support/paths.ts';
import { runCommand, type ServerSettings } from '../processes/server-process.ts';

type StorageModule = typeof import('../../../src/storage/open-store.ts');

/** Settings and database for a server of the built service that offers sign-in. */
export interface SigninTarget {
  readonly settings: ServerSettings;
  /** The migrated database, for records needed before the server starts; the caller must close it. */
  readonly store: Store;
  endpointsOf(client: TestClient): SigninEndpoints;
}

/** Creates a migrated database in `folder`/`name`; returns settings for a server on a free port. */
export async function prepareSigninTarget(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<SigninTarget> {
  const dataFolder = join(folder, name);
  mkdirSync(dataFolder, { mode: 0o700 });
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const settings: ServerSettings = {
    dataFolder,
    backend: 'auto',
    workers: Math.max(1, availableParallelism() - 1),
    variables: {
      PROOFGATE_BASE_URL: issuer,
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(port),
      PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
      ...variables,
    },
  };
  await runCommand(settings, ['migrate', 'up']);
  const { openStore } = await built<StorageModule>('storage.js');
  const store = await openStore({
    url: `libsql:${dataFolder}/proofgate.db`,
    groupMaxRows: 1,
    groupMaxDelayMs: 0,
  });
  return {
    settings,
    store,
    endpointsOf: (client) => ({
      issuer,
      port,
      authorizePath: '/authorize',
      tokenPath: '/token',
      userinfoPath: '/userinfo',
      keySetPath: '/jwks',
      ...client,
      hasWallet: true,
    }),
  };
}
