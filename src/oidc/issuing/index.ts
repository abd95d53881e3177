/**
 * Tokens (spec/sign-in.md#tokens): what ID tokens and access tokens hold, who judges an access token, and the
 * documents that tell others how to read them.
 */
export {
  type AccessTokenClaims,
  type AccessTokens,
  createAccessTokens,
  type InactiveReason,
  type TokenVerdict,
} from './access-tokens.ts';
export { discoveryDocument } from './discovery-document.ts';
export {
  type AccessToken,
  createTokenIssuer,
  halfHash,
  type IssuedTogether,
  type TokenIssuer,
} from './token-issuer.ts';
export { betaClaim, levelClaim, userClaims } from './user-claims.ts';
