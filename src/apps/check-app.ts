import { type FieldFault, fieldCheck } from '../config/apps/check-fields.ts';
import { type CheckedClient, redirectUriFaults } from '../config/apps/check-redirect-uris.ts';
import { APP_FIELDS, type AppFields } from '../config/apps/fields.ts';
import { ServiceError } from '../errors/index.ts';

const fieldFaults = fieldCheck(APP_FIELDS);

/**
 * Checks the given fields of an app, except the redirect URIs, whose rules depend on the whole app.
 *
 * @throws ServiceError `app.invalid`; the message lists every wrong field, `path` is the first
 */
export function checkFields(fields: unknown): AppFields {
  throwFieldFaults(fieldFaults(fields));
  return fields as AppFields;
}

/**
 * Rejects a client that has a redirect URI it may not have.
 *
 * @throws ServiceError `app.invalid`; the message says which URI broke which rule
 */
export function checkRedirectUris(client: CheckedClient): void {
  throwFieldFaults(redirectUriFaults(client));
}

/**
 * Throws all faults as one error; does nothing if there are none.
 *
 * @throws ServiceError `app.invalid`
 */
export function throwFieldFaults(faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const message = faults.map(({ field, text }) => `${field}: ${text}`).join('\n  ');
  throw new ServiceError('app.invalid', message, { path: first.field });
}
