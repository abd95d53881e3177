/**
 * Proof verification for relying parties: request schema, apps, Merkle roots, verifying keys, items and nullifier
 * record, one step per file; `verify-request.ts` has the steps in their order. HTTP is in
 * `src/http/routes/public/verify.ts`.
 */

export {
  type AppChange,
  createApp,
  findApp,
  type NewApp,
  removeApp,
  setAppStatus,
  updateApp,
  VERIFICATION_STATES,
} from './apps.ts';
export { builtInKey } from './built-in-keys.ts';
export { decodeProof } from './decode-proof.ts';
export { exampleCurl, seedDevelopment } from './development-seed.ts';
export { FORGEABLE_FINGERPRINTS, fingerprint } from './fingerprint.ts';
export { importKey, type KeyImport } from './import-key.ts';
export { keyFromSnarkjs } from './key-from-snarkjs.ts';
export type { DecodedKey } from './key-layout.ts';
export type { KeyRegistry } from './key-registry.ts';
export { parseTime, TIME_FORMS } from './parse-time.ts';
export {
  type EntryVerdict,
  type NumberedVerdict,
  type ProofFileOptions,
  verifyProofFile,
} from './proof-file.ts';
export { LONG_LINE, readLines } from './read-lines.ts';
export { currentRootAges } from './root-ages.ts';
export {
  addRoots,
  importRoots,
  OPERATOR_SOURCE,
  parseRoot,
  type RootInput,
  type RootKeyRules,
  rootLine,
} from './roots.ts';
export { ENVIRONMENTS, IDENTIFIERS, isEnvironment, isTree, TREES } from './trees.ts';
export { createVerification, type Verification, type VerificationOptions } from './verification.ts';
export type {
  RequestVerifier,
  VerifyCall,
  VerifyOutcome,
  VerifySuccess,
} from './verify-request.ts';
export {
  boundKey,
  checkKeyUse,
  type KeyBindings,
  type KeyInfo,
  type KeyWithBytes,
  listKeys,
  readKey,
} from './verifying-keys.ts';
