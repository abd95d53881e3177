/**
 * The credential as an object (spec/credential.md#credential-object): its fields, claims[0], its hash, its
 * JSON and when it ends. Everything is a function of its arguments; hashes and signatures are the engine's.
 * Who may have a credential and with which key it is signed is decided elsewhere.
 */
export { type ClaimEngine, claimOfPackage, claimOfRefresh } from './claims.ts';
export type { CredentialFields, SignedFields } from './fields.ts';
export { type HashEngine, hashCredential } from './hash.ts';
export { credentialJson } from './json.ts';
export { type ParsedCredential, parseCredential } from './parse.ts';
export { compressKey, parseCoordinate } from './public-key.ts';
export { expiryOf } from './validity.ts';
export { type CredentialCheck, type VerifyEngine, verifyCredential } from './verify.ts';
