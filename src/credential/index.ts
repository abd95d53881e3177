/**
 * The credential as an object (spec/credential.md#credential-object): its fields, claims[0], hash, JSON, signature and
 * the strict JSON and field elements it is written in. All functions are pure, except that an engine computes hashes and
 * signatures. No Node API, so that the library reads credentials in browsers. Who may have a credential, when it expires
 * and which key signs it is decided elsewhere.
 */
export { isInPrimeSubgroup, isOnBabyJubJub } from './babyjubjub.ts';
export { type ClaimEngine, type ClaimedHolder, claimOfPackage, claimOfRefresh } from './claims.ts';
export { parseFieldElement, parseNonZeroElement } from './field-element.ts';
export type { CredentialFields, SignedFields } from './fields.ts';
export { type HashEngine, hashCredential } from './hash.ts';
export { credentialJson } from './json.ts';
export { type ParsedCredential, parseCredential } from './parse.ts';
export { compressKey, parseCoordinate } from './public-key.ts';
export { parseStrictJson, type StrictJson, StrictJsonError } from './strict-json.ts';
export { type CredentialCheck, type VerifyEngine, verifyCredential } from './verify.ts';
