/**
 * Sign-in: an OpenID Connect provider without HTTP. `authorize` checks requests and builds responses,
 * `transaction` is the state machine of one sign-in, `issuing` and `keys` sign and verify tokens, `dpop` checks
 * proofs of possession, `endpoints` has the back channel, `mobile-auth` the sign-in of native wallets. Rules:
 * spec/sign-in.md#flow, spec/sign-in.md#principles and the headings that the folders name.
 */
export { LANGUAGES, type Language, languageOfTag, readUiLocales } from './languages.ts';
export { type Parameters, parseParameters, refuseRepeated } from './parameters.ts';
export type { AuthorizationRequest, Grant, ResponseMode, Subject } from './types.ts';
