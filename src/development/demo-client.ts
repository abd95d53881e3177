import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_CLIENT } from '../config/apps/client-of.ts';
import { BINDINGS, type Binding } from '../config/apps/fields.ts';
import { OPEN_POLICY } from '../config/apps/policy.ts';
import { isServiceError } from '../errors/service-error.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import type { AppRow, AppStore, ClientMetadata } from '../storage/apps/apps.ts';

/**
 * Client id of `/demo` and `proofgate login-demo`, the same in every service, so that it need not be looked up: its
 * digits are the first 32 hex digits of SHA-256("proofgate demo relying party").
 */
export const DEMO_CLIENT_ID = 'app_staging_f0ea2d56f626796076d330c97c92da33';

/**
 * Client ids of the demo by binding of World ID 4.0. The digits of the others are those of SHA-256("proofgate demo relying
 * party paired") and so on; they exist while sign-in asks for World ID 4.0.
 */
export const DEMO_CLIENT_IDS: Readonly<Record<Binding, string>> = {
  bound: DEMO_CLIENT_ID,
  paired: 'app_staging_d38bf7b038e6f0d5a6517702f2955b12',
  session: 'app_staging_91dad57c0860666bafe4a20f52d46e18',
};

/** Name of the client on the sign-in page. */
export const DEMO_CLIENT_NAME = 'Demo relying party';

/** Returns the redirect URI of the demo. */
export function demoRedirectUri(baseUrl: string): string {
  return `${baseUrl}/demo/callback`;
}

/**
 * Registers the demo client, or updates its redirect URI if `baseUrl` has changed; writes nothing if it is up to date.
 * Not for production, which refuses apps with a development mark.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`; `app.read_only` if the configuration contains an app with this id
 */
export async function seedDemoClient(
  apps: Pick<AppStore, 'findByAppId' | 'create' | 'update'>,
  baseUrl: string,
  now: number,
  binding: Binding = 'bound',
): Promise<void> {
  const client = demoClient(baseUrl, binding);
  const appId = DEMO_CLIENT_IDS[binding];
  const known = await apps.findByAppId(appId);
  if (known === undefined) {
    try {
      await apps.create(demoApp(appId, client, now));
    } catch (error) {
      // Another process was faster.
      if (!isServiceError(error, 'app.exists')) throw error;
    }
    return;
  }
  if (!isDeepStrictEqual(known.client, client)) await apps.update(appId, { client }, now);
}

/** Registers the demo client of every binding, for a service whose sign-in asks for World ID 4.0; throws as above. */
export async function seedDemoClients(
  apps: Pick<AppStore, 'findByAppId' | 'create' | 'update'>,
  baseUrl: string,
  now: number,
): Promise<void> {
  for (const binding of BINDINGS) await seedDemoClient(apps, baseUrl, now, binding);
}

/** A public client, since code in a browser cannot keep a secret. */
function demoClient(baseUrl: string, binding: Binding): ClientMetadata {
  return {
    ...DEFAULT_CLIENT,
    redirectUris: [demoRedirectUri(baseUrl)],
    tokenEndpointAuthMethod: 'none',
    requirePkce: true,
    binding,
  };
}

function demoApp(appId: string, client: ClientMetadata, now: number): AppRow {
  return {
    appId,
    rpId: rpIdOf(appId),
    name: DEMO_CLIENT_NAME,
    status: 'active',
    // The demo is for sign-in only, so the wallet page does not offer it for actions.
    verification: 'none',
    isDevelopment: true,
    client,
    policy: OPEN_POLICY,
    hasLogo: false,
    createdAt: now,
    updatedAt: now,
  };
}
