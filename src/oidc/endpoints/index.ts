/**
 * The back channel without HTTP: client authentication, the exchange of codes, user information,
 * introspection and revocation (spec/sign-in.md#token-endpoint to spec/sign-in.md#client-authentication), one
 * endpoint per file.
 */
export {
  type ClientAuthentication,
  type ClientAuthenticationParts,
  type ClientCall,
  createClientAuthentication,
  type FailureDecision,
  type TokenCall,
} from './authenticate-client.ts';
export {
  type CodeExchangeParts,
  createCodeExchange,
  type IssuedTokens,
  type TokenResponse,
} from './exchange-code.ts';
export { createIntrospection, type Introspection, type IntrospectionParts } from './introspect-token.ts';
export { createUserInfo, type UserInfo, type UserInfoParts } from './read-user-info.ts';
export { createRevocation, type RevocationParts } from './revoke-token.ts';
