import { SECRET_FORM, SECRET_PATTERN } from '../config/apps/app-forms.ts';
import type { FieldFault } from '../config/apps/field-rule.ts';
import type { AppFields } from '../config/apps/fields.ts';
import { ServiceError } from '../errors/index.ts';
import type { AppRow, AppStore, Logo } from '../storage/index.ts';
import { throwFieldFaults } from './check-app.ts';
import { needsSecret, newAppRow } from './new-app-row.ts';
import { makeSecret, type NewSecret } from './secrets/secrets.ts';

/** A new app as an operator describes it. */
export interface Registration {
  readonly fields: AppFields;
  /** Whether a generated id selects the staging trees. */
  readonly isStaging?: boolean;
  readonly isDevelopment: boolean;
  readonly logo?: Logo;
  /** A secret that the client already has; generated if absent. */
  readonly clientSecret?: string;
  /** Faults of what the caller has read, such as the logo; reported with those of the fields. */
  readonly faults?: readonly FieldFault[];
}

/** A new app, and its first secret if it needs one. */
export interface Registered {
  readonly app: AppRow;
  readonly secret: NewSecret | undefined;
}

/**
 * Adds an app (spec/sign-in.md#clients). An app that has redirect URIs and is not public gets a secret, which is shown
 * only once.
 *
 * @param secretKey - `secretKeyOf`; called only if there is a secret.
 * @param now - Milliseconds since the epoch.
 * @param beforeWrite - Called with the result before it is stored.
 * @throws ServiceError `app.invalid`, `app.exists`, `app.rp_id_taken`, `store.unreachable`
 */
export async function registerApp(
  apps: Pick<AppStore, 'findByRpId' | 'create'>,
  { fields, isStaging = false, isDevelopment, logo, clientSecret, faults = [] }: Registration,
  secretKey: () => Uint8Array,
  now: number,
  beforeWrite?: (registered: Registered) => Promise<void>,
): Promise<Registered> {
  const app = newAppRow(fields, { isDevelopment, now, isStaging, faults });
  if (clientSecret !== undefined) checkGivenSecret(app, clientSecret);
  const { appId, rpId } = app;
  if (fields.rp_id !== undefined && (await apps.findByRpId(rpId)) !== undefined) {
    throw new ServiceError('app.rp_id_taken', `another app has the rp_id ${rpId}`, { path: 'rp_id' });
  }
  const secret = needsSecret(app)
    ? makeSecret({ appId, isDevelopment, secretKey: secretKey() }, now, clientSecret)
    : undefined;
  const added = { ...app, hasLogo: logo !== undefined };
  const registered = { app: added, secret };
  await beforeWrite?.(registered);
  await apps.create(added, secret?.row, logo);
  return registered;
}

function checkGivenSecret(app: AppRow, secret: string): void {
  const field = 'client_secret';
  if (!needsSecret(app)) {
    const text = 'an app that is public or has no redirect URIs has no secret';
    throwFieldFaults([{ field, text }]);
  }
  if (!new RegExp(SECRET_PATTERN).test(secret)) {
    const text = `expected ${SECRET_FORM}, got ${secret.length} other characters`;
    throwFieldFaults([{ field, text }]);
  }
}
