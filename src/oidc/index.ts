/**
 * Sign-in: an OpenID Connect provider without HTTP. `authorize` checks requests and builds responses,
 * `transaction` is the state machine of one sign-in, `keys` has the signing keys, `dpop` checks proofs of possession,
 * `endpoints` has the back channel, `logout` the end of sessions. The files beside them make and verify tokens
 * (spec/sign-in.md#tokens), keep sessions and pushed requests, and sign native wallets in. Rules: spec/sign-in.md#flow,
 * spec/sign-in.md#principles and the headings that the folders and files name.
 */
export { LANGUAGES, type Language, languageOfTag, readUiLocales } from './languages.ts';
export { type Parameters, parseParameters, refuseRepeated } from './parameters.ts';
export type { AuthorizationRequest, Grant, ResponseMode, Subject } from './types.ts';
