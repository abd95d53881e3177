import { isDeepStrictEqual } from 'node:util';
import { clientOf } from '../config/apps/client-of.ts';
import type { FieldFault } from '../config/apps/field-rule.ts';
import type { AppFields } from '../config/apps/fields.ts';
import type { AppRow, AppStore, Logo } from '../storage/apps/apps.ts';
import { findApp } from './apps.ts';
import { checkApp } from './new-app-row.ts';

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
