/**
 * The credential as an object (spec/credential.md#credential-object): its fields, claims[0], hash, JSON and
 * expiry. All functions are pure, except that the engine computes hashes and signatures. Who may have a
 * credential, and which key signs it, is decided elsewhere.
 */
export { type ClaimEngine, claimOfPackage, claimOfRefresh } from './claims.ts';
export type { CredentialFields, SignedFields } from './fields.ts';
export { type HashEngine, hashCredential } from './hash.ts';
export { credentialJson } from './json.ts';
export { type ParsedCredential, parseCredential } from './parse.ts';
export { compressKey, parseCoordinate } from './public-key.ts';
export { expiryOf } from './validity.ts';
export { type CredentialCheck, type VerifyEngine, verifyCredential } from './verify.ts';
