/**
 * What operators do over the admin API and the command line (spec/operations.md#admin-api): tokens, and operations that
 * are declared once, with the schemas that check their requests and describe them.
 */
export {
  ADMIN_SCOPES,
  type AdminCaller,
  type AdminScope,
  type AdminTokenInput,
  type Authenticate,
  addAdminToken,
  createAuthenticate,
  type NewAdminToken,
  revokeAdminToken,
} from './admin-tokens.ts';
