import { randomBytes } from 'node:crypto';
import { fieldCheck } from '../config/apps/check-fields.ts';
import { type CheckedClient, clientFaults } from '../config/apps/check-redirect-uris.ts';
import { clientOf, DEFAULT_CLIENT, PRODUCTION_CLIENT } from '../config/apps/client-of.ts';
import type { FieldFault } from '../config/apps/field-rule.ts';
import { APP_FIELDS, type AppFields, type EmailForm } from '../config/apps/fields.ts';
import { completePolicy } from '../config/apps/policy.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isObject } from '../json.ts';
import { rpIdOf } from '../semaphore/hashes.ts';
import type { AppRow } from '../storage/apps/apps.ts';

const fieldFaults = fieldCheck(APP_FIELDS);
/** Maximum number of reported faults of one app: a list can have thousands. */
const MAX_FAULTS = 50;

/** Fields on which the rules for addresses and introspection depend. */
const RULED_FIELDS = [
  'redirect_uris',
  'application_type',
  'allow_short_scheme',
  'allowed_origins',
  'introspects',
  'token_endpoint_auth_method',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
];

/**
 * Checks the given fields of an app, and its redirect URIs, whose rules depend on the whole app, unless only the status
 * is given.
 *
 * @param clientOf - Returns the client that results from the fields.
 * @param more - Faults found by the caller; reported with the others.
 * @throws ServiceError `app.invalid`; the message and `faults` list every invalid field
 */
export function checkApp(
  given: unknown,
  clientOf: (fields: AppFields) => CheckedClient,
  more: readonly FieldFault[] = [],
): AppFields {
  const faults = [...more, ...fieldFaults(given)];
  const isWrong = (name: string): boolean => faults.some(({ field }) => field.split('[')[0] === name);
  // The rules for clients apply only if the fields on which they depend are valid, and only where one of them is given:
  // an app can be disabled or renamed even if a later release would refuse its addresses.
  const isRuled = isObject(given) && RULED_FIELDS.some((name) => Object.hasOwn(given, name));
  if (isRuled && !RULED_FIELDS.some(isWrong)) {
    faults.push(...clientFaults(clientOf(given)));
  }
  throwFieldFaults(faults);
  return given as AppFields;
}

/**
 * Throws all faults as one error; does nothing if there are none.
 *
 * @throws ServiceError `app.invalid`
 */
export function throwFieldFaults(faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const reported = faults.slice(0, MAX_FAULTS);
  const message = reported.map(({ field, text }) => `${field}: ${text}`).join('\n  ');
  const parts = reported.map(({ field, text }) => ({ path: field, text }));
  throw new ServiceError('app.invalid', message, { path: first.field, faults: parts });
}

/** Facts about a new app that its fields do not state. */
export interface NewAppFacts {
  /**
   * Whether the app is created outside the production profile, which refuses to start with such an app; determines its
   * defaults.
   */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether a generated id selects the staging trees. */
  readonly isStaging?: boolean;
  /** Form of the placeholder address if the fields name none (`signin.emailForm`); `long` if absent. */
  readonly emailForm?: EmailForm;
  /** Faults found by the caller; reported with those of the fields. */
  readonly faults?: readonly FieldFault[];
}

/**
 * Returns the row of a new app, by default active and registered for verification.
 *
 * @throws ServiceError `app.invalid`
 */
export function newAppRow(
  given: unknown,
  { isDevelopment, now, isStaging = false, emailForm = 'long', faults = [] }: NewAppFacts,
): AppRow {
  const defaults = { ...(isDevelopment ? DEFAULT_CLIENT : PRODUCTION_CLIENT), emailForm };
  const newId = `app_${isStaging ? 'staging_' : ''}${randomBytes(16).toString('hex')}`;
  const clientWith = (fields: AppFields) => ({
    clientId: fields.client_id ?? newId,
    client: clientOf(fields, defaults),
    isDevelopment,
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
