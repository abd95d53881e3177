/**
 * The back channel without HTTP: client authentication, the grants of /token, user information,
 * introspection and revocation (spec/sign-in.md#token-endpoint to spec/sign-in.md#client-authentication), one
 * endpoint per file.
 */
export {
  type AnswerFacts,
  type ClientAuthentication,
  type ClientAuthenticationParts,
  type ClientCall,
  createClientAuthentication,
  type FailureDecision,
  type ProofHeader,
  type TokenCall,
} from './authenticate-client.ts';
export { createIntrospection, type Introspection, type IntrospectionParts } from './introspect-token.ts';
export type { TokenEndpointParts, TokenResponse } from './issue-tokens.ts';
export { createUserInfo, type UserInfo, type UserInfoCall, type UserInfoParts } from './read-user-info.ts';
export { createRevocation, type RevocationParts } from './revoke-token.ts';
export { createTokenEndpoint } from './token-endpoint.ts';
