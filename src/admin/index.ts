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
  prepareAdminToken,
  revokeAdminToken,
} from './admin-tokens.ts';
export { type CheckedRequest, requestCheck, type SentRequest } from './check-request.ts';
export { adminOpenApi, refusalsOf } from './openapi.ts';
export type {
  AdminAnswer,
  AdminExample,
  AdminRequest,
  AdminResponse,
  AdminServices,
  Operation,
} from './operation.ts';
export { ADMIN_BASE_PATH, OPERATIONS } from './operations/index.ts';
