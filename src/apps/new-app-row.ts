import { randomBytes } from 'node:crypto';
import { clientOf } from '../config/apps/client-of.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import type { AppRow } from '../storage/index.ts';
import { checkFields, checkRedirectUris } from './check-app.ts';

/** What is not said of an app by its fields. */
export interface NewAppFacts {
  /** Made outside the production profile, which then refuses it. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Gives an app without id one that selects the trees of staging. */
  readonly isStaging?: boolean;
}

/**
 * The row of a new app: active and registered for verification where nothing else is said.
 *
 * @throws ServiceError `app.invalid`
 */
export function newAppRow(given: unknown, { isDevelopment, now, isStaging = false }: NewAppFacts): AppRow {
  const fields = checkFields(given);
  const appId = fields.client_id ?? `app_${isStaging ? 'staging_' : ''}${randomBytes(16).toString('hex')}`;
  const client = clientOf(fields);
  checkRedirectUris({ clientId: appId, client, isDevelopment });
  return {
    appId,
    rpId: rpIdOf(appId),
    name: fields.name ?? appId,
    status: fields.status ?? 'active',
    verification: fields.verification ?? 'registered',
    isDevelopment,
    client,
    hasLogo: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether a client with these settings has to prove who it is, and so needs a secret. */
export function needsSecret({ client }: Pick<AppRow, 'client'>): boolean {
  return client.redirectUris.length > 0 && client.tokenEndpointAuthMethod !== 'none';
}
