/**
 * Shared parts of checking proofs of membership, for every interface that accepts them: text forms of proofs, accepted
 * Merkle roots, and verifying keys with their bindings. Rules: spec/verification.md#encodings,
 * spec/verification.md#roots and spec/verification.md#verifying-keys.
 */

export type { DecodedKey } from '../groth16/index.ts';
export { decodeProof } from './decode-proof.ts';
export { LONG_LINE, parseTime, readLines, TIME_FORMS } from './import-lines.ts';
export { builtInKey, FORGEABLE_FINGERPRINTS, fingerprint, keyFromSnarkjs } from './keys/built-in-keys.ts';
export { importKey, type KeyImport, type KeyImportParts } from './keys/import-key.ts';
export { createKeyRegistry, type KeyRegistry, type KeyWarning, registerKey } from './keys/key-registry.ts';
export {
  boundKey,
  checkKeyUse,
  type KeyBindings,
  type KeyInfo,
  type KeyUse,
  type KeyWithBytes,
  listKeys,
  readKey,
  usesOfKey,
  WORLDID4_BINDING,
  WORLDID4_INPUTS,
} from './keys/verifying-keys.ts';
export {
  checkAccountRoot,
  checkRoot,
  createRootRegistry,
  currentRootAges,
  type RootCheck,
  type RootRefresh,
  type RootRegistry,
} from './roots/root-registry.ts';
export {
  addRoots,
  importRoots,
  OPERATOR_SOURCE,
  parseRoot,
  type RootInput,
  type RootKeyRules,
  rootJson,
  rootLine,
  type ShownRoot,
} from './roots/roots.ts';
export {
  ENVIRONMENTS,
  IDENTIFIERS,
  type Identifier,
  isEnvironment,
  isTree,
  TREE_OF,
  TREES,
} from './roots/trees.ts';
export { checkSource, type SourceCheckParts } from './sources/check/check-source.ts';
export type { StoreOrReason } from './sources/check/check-store.ts';
export type { CheckLine, ProviderReport, SourceReport } from './sources/check/report.ts';
export { createFeedReader } from './sources/feed-reader.ts';
export { listSources, type SourceListing } from './sources/operator/list-sources.ts';
export { refuseManagedTree } from './sources/operator/managed.ts';
export { createChainReader } from './sources/reader/chain-reader.ts';
export { type ProviderState, parseProviders } from './sources/reader/provider-states.ts';
export { SourceKeys } from './sources/reader/source-keys.ts';
export { configHashOf } from './sources/reader/source-reader.ts';
export { createRootMisses, type MissResult, type RootMisses, treeKey } from './sources/root-misses.ts';
export { createRootRefresh } from './sources/root-refresh.ts';
export { type RootReader, SourceRunner } from './sources/source-runner.ts';
export { type SourceState, SourceStates } from './sources/source-states.ts';
export {
  checkKeyPoint,
  ISSUER_KEYS,
  type KeyKind,
  OPRF_KEYS,
  type WorldId4Key,
} from './worldid4/key-kinds.ts';
export { createWorldId4Keys, type WorldId4Keys } from './worldid4/key-lookup.ts';
export {
  addKey,
  importKeys,
  type KeyInput,
  keyLine,
  parseKey,
  parseNumber,
  removeKey,
} from './worldid4/keys.ts';
