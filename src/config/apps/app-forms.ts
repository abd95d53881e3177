/** Forms of the identifiers, secrets and logos of apps. */

/** Source of the regular expression for app ids (spec/verification.md#app-id), the `client_id` of sign-in. */
export const CLIENT_ID_PATTERN = '^app_(?:staging_)?[0-9a-f]{32}$';
/** Regular expression for app ids. */
export const APP_ID: RegExp = new RegExp(CLIENT_ID_PATTERN);
/** Source of the regular expression for rp_ids as input; they are stored in lower case. */
export const RP_ID_PATTERN = '^rp_[0-9a-fA-F]{16}$';
/** Source of the regular expression for client secrets (spec/sign-in.md#client-secrets): 24 random bytes in hex, too many to guess. */
export const SECRET_PATTERN = '^sk_[0-9a-f]{48}$';
/** Form of a client secret, as text after "expected". */
export const SECRET_FORM = 'sk_ and 48 lower-case hex digits, such as openssl rand -hex 24 prints';
/** Maximum size of a logo. */
export const MAX_LOGO_BYTES: number = 64 * 1024;

const STAGING_PREFIX = 'app_staging_';

/** Whether an app id selects the staging trees in sign-in (spec/sign-in.md#client-fields). */
export function isStaging(clientId: string): boolean {
  return clientId.startsWith(STAGING_PREFIX);
}
