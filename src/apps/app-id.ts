import { CLIENT_ID_PATTERN } from '../config/apps/client-id.ts';

/** Form of a stored app id (spec/verification.md#app-id); it is the `client_id` of sign-in. */
export const APP_ID: RegExp = new RegExp(CLIENT_ID_PATTERN);
