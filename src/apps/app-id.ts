/** Form of a stored app id (verify.md section 9); it is the `client_id` of sign-in. */
export const APP_ID: RegExp = /^app_(?:staging_)?[0-9a-f]{32}$/;
