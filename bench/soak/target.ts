import { createApp } from '../../src/apps/apps.ts';
import { addClient } from '../../test/support/signin/clients.ts';
import { addWalletRoots } from '../../test/support/test-wallet.ts';
import type { SigninEndpoints } from '../contenders/signin-contender.ts';
import { TEMPLATE, VERIFY_APP_ID } from '../load/http/http-target.ts';
import { type Server, startServer } from '../load/processes/server-process.ts';
import { type Enrolments, openEnrolments } from '../load/refresh/refresh-target.ts';
import { prepareSigninTarget } from '../load/signin/signin-target.ts';

/** The server as load and attacks need it; plain data, since both run in other processes. */
export interface SoakTarget {
  readonly port: number;
  readonly endpoints: SigninEndpoints;
  /** Client whose sign-ins the attacks begin. */
  readonly attackedClientId: string;
}

/** A server with all three interfaces and default limits, and the data needed to load it. */
export interface SoakServer {
  readonly server: Server;
  readonly target: SoakTarget;
  readonly enrolments: Enrolments;
  stop(): Promise<void>;
}

/** Starts the built service on a new database in `folder`. */
export async function startSoakServer(folder: string): Promise<SoakServer> {
  const { settings, store, endpointsOf } = await prepareSigninTarget(folder, 'soak', {
    PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  });
  const enrolments = await openEnrolments(settings.dataFolder);
  const now = Date.now();
  await addWalletRoots(store);
  await createApp(store.apps, { appId: VERIFY_APP_ID, name: 'soak' }, now);
  await store.roots.put([
    {
      environment: 'production',
      tree: 'orb',
      root: TEMPLATE.inputs.root,
      receivedAt: now,
      supersededAt: null,
      source: 'operator',
      keyId: 'trapdoor-4',
    },
  ]);
  const honest = await addClient(store, { requirePkce: true });
  const attacked = await addClient(store, { name: 'Attacked' });
  await store.close();
  const server = await startServer(settings);
  return {
    server,
    enrolments,
    target: { port: server.port, endpoints: endpointsOf(honest), attackedClientId: attacked.clientId },
    async stop() {
      await enrolments.close();
      await server.stop();
    },
  };
}
