/**
 * The authorization endpoint without HTTP (spec/sign-in.md#authorization-request and
 * spec/sign-in.md#authorization-response): one step per file, in the order of `read-request.ts`. A request
 * arrives as parameters; a response is parameters with the response mode.
 */
export { hashOfCode } from './authorization-code.ts';
export {
  type AuthorizationResponse,
  type ResponseTarget,
  refusalResponse,
} from './authorization-response.ts';
export {
  type AuthorizationCheck,
  type AuthorizationParts,
  checkAuthorization,
  oauthError,
} from './check-authorization.ts';
export {
  checkCanSignIn,
  checkRedirectTarget,
  type IdentifiedClient,
  identifyClient,
} from './identify-client.ts';
export type { Freshness } from './read-freshness.ts';
export { AUTHORIZE_PARAMETERS, type ReadRequest, type RequestOrigin, readRequest } from './read-request.ts';
export { withoutOfflineAccess } from './read-scope.ts';
export { createResponder, type Responder, type ResponderParts, type SuccessResponse } from './responder.ts';
