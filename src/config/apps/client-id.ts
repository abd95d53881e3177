/**
 * Form of an app id as text of a regular expression (spec/verification.md#app-id); it is the `client_id` of
 * sign-in.
 */
export const CLIENT_ID_PATTERN = '^app_(?:staging_)?[0-9a-f]{32}$';

const STAGING_PREFIX = 'app_staging_';

/** Whether an app id selects the trees of staging in sign-in (spec/sign-in.md#client-fields). */
export function isStaging(clientId: string): boolean {
  return clientId.startsWith(STAGING_PREFIX);
}
