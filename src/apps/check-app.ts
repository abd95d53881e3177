import { type FieldFault, fieldCheck } from '../config/apps/check-fields.ts';
import { type CheckedClient, redirectUriFaults } from '../config/apps/check-redirect-uris.ts';
import { APP_FIELDS, type AppFields } from '../config/apps/fields.ts';
import { ServiceError } from '../errors/index.ts';

const fieldFaults = fieldCheck(APP_FIELDS);

/**
 * Fields of an app that somebody gave, checked but for the redirect URIs, which depend on the whole app.
 *
 * @throws ServiceError `app.invalid`; the message lists every wrong field, `path` is the first
 */
export function checkFields(fields: unknown): AppFields {
  throwFieldFaults(fieldFaults(fields));
  return fields as AppFields;
}

/**
 * Refuses a client with a redirect URI that it may not have.
 *
 * @throws ServiceError `app.invalid`; the message says which URI broke which rule
 */
export function checkRedirectUris(client: CheckedClient): void {
  throwFieldFaults(redirectUriFaults(client));
}

/**
 * Throws all faults as one error; does nothing when there are none.
 *
 * @throws ServiceError `app.invalid`
 */
export function throwFieldFaults(faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const message = faults.map(({ field, text }) => `${field}: ${text}`).join('\n  ');
  throw new ServiceError('app.invalid', message, { path: first.field });
}
