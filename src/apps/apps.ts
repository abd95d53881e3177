import { isDeepStrictEqual } from 'node:util';
import { SECRET_FORM, SECRET_PATTERN } from '../config/apps/app-forms.ts';
import { clientOf, fieldsOfClient, needsSecret } from '../config/apps/client-of.ts';
import type { FieldFault } from '../config/apps/field-rule.ts';
import type { AppFields, EmailForm } from '../config/apps/fields.ts';
import { OPEN_POLICY } from '../config/apps/policy.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { AppRow, AppStore, ClientMetadata, Logo } from '../storage/apps/apps.ts';
import { checkApp, newAppRow, throwFieldFaults } from './new-app-row.ts';
import { makeSecret, type NewSecret } from './secrets/secrets.ts';

/** Settings of a new app; an absent member takes its default. */
export interface NewApp {
  /** Generated if absent. */
  readonly appId?: string;
  /** The app id if absent. */
  readonly name?: string;
  readonly isDevelopment?: boolean;
  /** Settings of the app as a client of sign-in. */
  readonly client?: Partial<ClientMetadata>;
}

/**
 * Adds an app without a secret, active and registered for verification, which accepts proofs of both environments; its
 * rp_id is derived from the app id.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `app.invalid`, `app.exists`, `store.unreachable`
 */
export async function createApp(
  apps: Pick<AppStore, 'create'>,
  { appId, name, isDevelopment = false, client = {} }: NewApp,
  now: number,
): Promise<AppRow> {
  const fields = {
    ...(appId === undefined ? {} : { client_id: appId }),
    ...(name === undefined ? {} : { name }),
    ...fieldsOfClient(client),
    policy: OPEN_POLICY,
  };
  const app = newAppRow(fields, { isDevelopment, now });
  await apps.create(app);
  return app;
}

/**
 * Looks up an app by app_id or rp_id.
 *
 * @throws ServiceError `app.unknown`
 */
export async function findApp(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>,
  id: string,
): Promise<AppRow> {
  const app = id.startsWith('rp_') ? await apps.findByRpId(id.toLowerCase()) : await apps.findByAppId(id);
  if (!app) throw new ServiceError('app.unknown', 'no app has this app_id or rp_id');
  return app;
}

/**
 * Enables or disables an app.
 *
 * @throws ServiceError `app.unknown`, `app.read_only`
 */
export async function setAppStatus(
  apps: AppStore,
  id: string,
  status: AppRow['status'],
  now: number,
): Promise<AppRow> {
  const { appId } = await findApp(apps, id);
  return apps.update(appId, { status }, now);
}

/**
 * Removes an app with its secrets; its id is then unknown.
 *
 * @param version - Expected `AppRow.updatedAt` of the app; any if absent.
 * @throws ServiceError `app.unknown`, `app.read_only`, `app.changed`
 */
export async function removeApp(apps: AppStore, id: string, version?: number): Promise<AppRow> {
  const app = await findApp(apps, id);
  await apps.remove(app.appId, version);
  return app;
}

/** Input of an operator for a new app. */
export interface Registration {
  readonly fields: AppFields;
  /** Whether a generated id selects the staging trees. */
  readonly isStaging?: boolean;
  readonly isDevelopment: boolean;
  /** `signin.emailForm`; `long` if absent. */
  readonly emailForm?: EmailForm;
  readonly logo?: Logo;
  /** A secret that the client already has; generated if absent. */
  readonly clientSecret?: string;
  /** Faults found by the caller, such as of the logo; reported together with those of the fields. */
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
  { fields, isStaging = false, isDevelopment, emailForm, logo, clientSecret, faults = [] }: Registration,
  secretKey: () => Uint8Array,
  now: number,
  beforeWrite?: (registered: Registered) => Promise<void>,
): Promise<Registered> {
  const app = newAppRow(fields, {
    isDevelopment,
    now,
    isStaging,
    faults,
    ...(emailForm === undefined ? {} : { emailForm }),
  });
  if (clientSecret !== undefined) checkGivenSecret(app, clientSecret);
  const { appId, rpId } = app;
  if (fields.rp_id !== undefined && (await apps.findByRpId(rpId)) !== undefined) {
    throw new ServiceError('app.rp_id_taken', `another app has the rp_id ${rpId}`, { path: 'rp_id' });
  }
  const secret = needsSecret(app.client)
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
  if (!needsSecret(app.client)) {
    const text = 'an app that is public, or neither has redirect URIs nor introspects, has no secret';
    throwFieldFaults([{ field, text }]);
  }
  if (!new RegExp(SECRET_PATTERN).test(secret)) {
    const text = `expected ${SECRET_FORM}, got ${secret.length} other characters`;
    throwFieldFaults([{ field, text }]);
  }
}

/** Changes to an app; an absent member is unchanged. */
export interface AppChange extends Omit<AppFields, 'client_id'> {
  /** Null removes the logo. */
  readonly logo?: Logo | null;
  /** Faults found by the caller, such as of the logo; reported together with those of the fields. */
  readonly faults?: readonly FieldFault[];
}

const ID_CHANGED: FieldFault = {
  field: 'client_id',
  text: 'cannot be changed, since the subs of people depend on it',
};

/**
 * Changes an app; its redirect URIs are checked again as a whole, since they depend on other fields.
 *
 * @param now - Milliseconds since the epoch.
 * @param version - Expected `AppRow.updatedAt` of the app; any if absent.
 * @throws ServiceError `app.invalid`, `app.unknown`, `app.read_only`, `app.changed`, `app.rp_id_taken`
 */
export async function updateApp(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId' | 'update'>,
  id: string,
  { logo, faults = [], ...given }: AppChange,
  now: number,
  version?: number,
): Promise<AppRow> {
  const app = await findApp(apps, id);
  const newId = 'client_id' in given ? [ID_CHANGED] : [];
  const clientWith = (fields: AppFields) => ({
    clientId: app.appId,
    client: clientOf(fields, app.client),
    isDevelopment: app.isDevelopment,
  });
  const fields = checkApp(given, clientWith, [...faults, ...newId]);
  const { rp_id, name, status, verification, policy } = fields;
  const { client } = clientWith(fields);
  // Absent members are left out, so that a concurrent change to them is not overwritten.
  const change = {
    ...(rp_id === undefined ? {} : { rpId: rp_id.toLowerCase() }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(verification === undefined ? {} : { verification }),
    ...(policy === undefined ? {} : { policy }),
    ...(isDeepStrictEqual(client, app.client) ? {} : { client }),
    ...(logo === undefined ? {} : { logo }),
  };
  return await apps.update(app.appId, change, now, version);
}
