/**
 * Sign-out (spec/sign-in.md#sign-out): what an app may ask for (`check-logout.ts`), whose sessions end
 * (`sign-out.ts`), and the notices that tell the apps (`logout-token.ts` and `deliverer.ts`). All of it exists only
 * while sessions are on.
 */
export { checkLogout, LOGOUT_PARAMETERS, type LogoutRequest } from './check-logout.ts';
export {
  createLogoutDeliverer,
  type LogoutDeliverer,
  type LogoutDelivererParts,
} from './deliverer.ts';
export { createLogoutTokens, type SignLogoutToken } from './logout-token.ts';
export { createSessionOperator, type SessionOperator, type SessionOperatorParts } from './operate.ts';
export { type BrowserSession, createSignOut, type SignOut, sessionEnd } from './sign-out.ts';
