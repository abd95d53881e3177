/** Tokens of the admin API (spec/operations.md#admin-api), and what an operator should know about a service. */
export {
  ADMIN_SCOPES,
  type AdminCaller,
  type AdminScope,
  type AdminTokenInput,
  type Authenticate,
  addAdminToken,
  createAuthenticate,
  type NewAdminToken,
  prepareAdminToken,
  revokeAdminToken,
} from './admin-tokens.ts';
export { type AdminNotice, type NoticeFacts, noticesOf } from './notices.ts';
