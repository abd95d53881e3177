/**
 * Proof verification for relying parties: request schema, items and nullifier record, one step per file;
 * `run/verify-request.ts` has the steps in their order. HTTP is in `src/http/routes/public/verify.ts`. Rules:
 * spec/verification.md#order-of-checks, spec/verification.md#request, spec/verification.md#items and
 * spec/verification.md#nullifiers; for World ID 4.0 (`worldid4/`, `integrity/`) spec/worldid4.md.
 */

export { createGroth16Verifier, type Groth16Outcome, type Groth16Verifier } from './groth16.ts';
export { loadKeySet } from './integrity/attestation-keys.ts';
export { BUNDLE_SCHEMA } from './integrity/integrity-bundle.ts';
export {
  exampleCurl,
  exampleCurl4,
  exampleGroth16,
  exampleRequest,
  groth16Curl,
  seedDevelopment,
} from './offline/development-seed.ts';
export {
  type FileApp,
  type NumberedVerdict,
  type ProofFileOptions,
  type ProofVerdict,
  type RequestPlace,
  verifyProofFile,
} from './offline/proof-file.ts';
export { bodySchema, ITEM_SCHEMA } from './request/request-schema.ts';
export { createVerification, type Verification, type VerificationOptions } from './run/verification.ts';
export type { RequestForm, UniquenessSuccess, VerifyOutcome, VerifySuccess } from './run/verify-outcome.ts';
export type { RequestVerifier, VerifyCall } from './run/verify-request.ts';
export { body4Schema, item4Schema } from './worldid4/request4-schema.ts';
