import { fieldsOfClient } from '../config/apps/client-of.ts';
import { ServiceError } from '../errors/index.ts';
import { type AppRow, type AppStore, type ClientMetadata, OPEN_POLICY } from '../storage/index.ts';
import { newAppRow } from './new-app-row.ts';

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
 * rp_id follows from the app id.
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
 * @param version - `AppRow.updatedAt` that the app must have; any if absent.
 * @throws ServiceError `app.unknown`, `app.read_only`, `app.changed`
 */
export async function removeApp(apps: AppStore, id: string, version?: number): Promise<AppRow> {
  const app = await findApp(apps, id);
  await apps.remove(app.appId, version);
  return app;
}
