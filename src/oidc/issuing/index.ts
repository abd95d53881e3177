/**
 * Tokens (spec/sign-in.md#tokens): the content of ID tokens and access tokens, the validation of access
 * tokens, and the discovery document.
 */
export {
  type AccessTokenClaims,
  type AccessTokens,
  createAccessTokens,
  type InactiveReason,
  type TokenVerdict,
} from './access-tokens.ts';
export { discoveryDocument } from './discovery-document.ts';
export { examineToken, MAX_ACCESS_TOKEN_LIFETIME_MS } from './examine-token.ts';
export {
  createIdTokenHints,
  type HintedToken,
  type IdTokenHintsParts,
  type ReadIdTokenHint,
} from './id-token-hints.ts';
export {
  endRefreshFamily,
  examineRefreshToken,
  liveFamilies,
  type RefreshRefusal,
  type RefreshVerdict,
} from './refresh-families.ts';
export {
  makeRefreshToken,
  parseRefreshToken,
  type RefreshToken,
  renewRefreshToken,
} from './refresh-token.ts';
export {
  type AccessToken,
  createTokenIssuer,
  halfHash,
  type IssuedTogether,
  type TokenIssuer,
  type TokenType,
} from './token-issuer.ts';
export { betaClaim, levelClaim, userClaims } from './user-claims.ts';
