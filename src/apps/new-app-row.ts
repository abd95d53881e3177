import { randomBytes } from 'node:crypto';
import { clientOf, DEFAULT_CLIENT, PRODUCTION_CLIENT } from '../config/apps/client-of.ts';
import type { FieldFault } from '../config/apps/field-rule.ts';
import type { AppFields } from '../config/apps/fields.ts';
import { completePolicy } from '../config/apps/policy.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import type { AppRow } from '../storage/index.ts';
import { checkApp } from './check-app.ts';

/** Facts about a new app that its fields do not state. */
export interface NewAppFacts {
  /** Whether the app is made outside the production profile, which then refuses to start with it; decides its defaults. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether a generated id selects the staging trees. */
  readonly isStaging?: boolean;
  /** Faults that the caller has found; reported with those of the fields. */
  readonly faults?: readonly FieldFault[];
}

/**
 * Returns the row of a new app, by default active and registered for verification.
 *
 * @throws ServiceError `app.invalid`
 */
export function newAppRow(
  given: unknown,
  { isDevelopment, now, isStaging = false, faults = [] }: NewAppFacts,
): AppRow {
  const defaults = isDevelopment ? DEFAULT_CLIENT : PRODUCTION_CLIENT;
  const newId = `app_${isStaging ? 'staging_' : ''}${randomBytes(16).toString('hex')}`;
  const clientWith = (fields: AppFields) => ({
    ...{ clientId: fields.client_id ?? newId, client: clientOf(fields, defaults), isDevelopment },
  });
  const fields = checkApp(given, clientWith, faults);
  const { clientId: appId, client } = clientWith(fields);
  return {
    appId,
    rpId: fields.rp_id?.toLowerCase() ?? rpIdOf(appId),
    name: fields.name ?? appId,
    status: fields.status ?? 'active',
    verification: fields.verification ?? 'registered',
    isDevelopment,
    client,
    policy: completePolicy(fields.policy, appId, isDevelopment),
    hasLogo: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether a client must authenticate, and so needs a secret. */
export function needsSecret({ client }: Pick<AppRow, 'client'>): boolean {
  return client.redirectUris.length > 0 && client.tokenEndpointAuthMethod !== 'none';
}
