/** Sign-in clients for tests, with their plain secrets. */
import { randomBytes } from 'node:crypto';
import { makeSecret } from '../../../src/apps/secrets/secrets.ts';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { AppRow, ClientMetadata, Logo } from '../../../src/storage/apps/apps.ts';
import type { Store } from '../../../src/storage/store.ts';

/** Setting `apps.secretHmacKey` of the services that know these clients. */
export const SECRET_HMAC_KEY: string = Buffer.alloc(32, 7).toString('base64url');

/** A registered client. */
export interface TestClient {
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  /** First redirect URI. */
  readonly redirectUri: string;
}

/** Properties of a client, by default a confidential web client of the staging trees. */
export interface ClientOptions extends Partial<ClientMetadata> {
  readonly clientId?: string;
  readonly name?: string;
  readonly isProduction?: boolean;
  readonly status?: AppRow['status'];
  readonly logo?: Logo;
}

/** Adds a client to a store that the service reads. */
export async function addClient(
  store: Pick<Store, 'apps'>,
  options: ClientOptions = {},
  now: number = Date.now(),
): Promise<TestClient> {
  const {
    name = 'Demo Shop',
    isProduction = false,
    status = 'active',
    logo,
    clientId,
    ...metadata
  } = options;
  const prefix = isProduction ? 'app_' : 'app_staging_';
  const appId = clientId ?? `${prefix}${randomBytes(16).toString('hex')}`;
  const client = { ...DEFAULT_CLIENT, redirectUris: ['https://shop.example/cb'], ...metadata };
  const app: AppRow = {
    appId,
    rpId: rpIdOf(appId),
    name,
    status,
    verification: 'registered',
    isDevelopment: true,
    client,
    policy: OPEN_POLICY,
    hasLogo: false,
    createdAt: now,
    updatedAt: now,
  };
  const isPublic = client.tokenEndpointAuthMethod === 'none';
  const secretKey = Uint8Array.from(Buffer.from(SECRET_HMAC_KEY, 'base64url'));
  const secret = isPublic ? undefined : makeSecret({ appId, isDevelopment: true, secretKey }, now);
  await store.apps.create(app, secret?.row);
  if (logo) await store.apps.update(appId, { logo }, now);
  return {
    clientId: appId,
    clientSecret: secret?.value ?? '',
    redirectUri: client.redirectUris[0] ?? '',
  };
}

/** A public client, like an app in a browser or on a phone. */
export const PUBLIC_CLIENT: ClientOptions = {
  tokenEndpointAuthMethod: 'none',
  applicationType: 'native',
  redirectUris: ['http://127.0.0.1/cb', 'com.example.shop:/cb'],
};
