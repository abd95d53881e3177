/**
 * The credential as an object (spec/credential.md#credential-object): its fields, claims[0], hash, JSON, signature and
 * the strict JSON and field elements it is written in. All functions are pure, except that an engine computes hashes and
 * signatures. No Node API, so that the library reads credentials in browsers. Who may have a credential, when it expires
 * and which key signs it is decided elsewhere.
 */

export {
  type ClaimEngine,
  type ClaimedHolder,
  type CredentialFields,
  claimOfPackage,
  claimOfRefresh,
  credentialJson,
  parseFieldElement,
  parseNonZeroElement,
  type SignedFields,
} from './credential.ts';
export {
  type CredentialCheck,
  type HashEngine,
  hashCredential,
  type VerifyEngine,
  verifyCredential,
} from './hash.ts';
export { type ParsedCredential, parseCredential } from './parse.ts';
export { compressKey, isInPrimeSubgroup, isOnBabyJubJub, parseCoordinate } from './public-key.ts';
export { parseStrictJson, type StrictJson, StrictJsonError } from './strict-json.ts';
