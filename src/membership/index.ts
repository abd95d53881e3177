/**
 * What a proof of membership is checked against, for every interface that takes one: its text forms, the Merkle roots
 * that are accepted, and the verifying keys with their bindings.
 */
export { builtInKey } from './built-in-keys.ts';
export { checkRoot, type RootCheck } from './check-root.ts';
export { decodeProof } from './decode-proof.ts';
export { FORGEABLE_FINGERPRINTS, fingerprint } from './fingerprint.ts';
export { importKey, type KeyImport, type KeyImportParts } from './import-key.ts';
export { keyFromSnarkjs } from './key-from-snarkjs.ts';
export type { DecodedKey } from './key-layout.ts';
export { createKeyRegistry, type KeyRegistry } from './key-registry.ts';
export { parseTime, TIME_FORMS } from './parse-time.ts';
export { LONG_LINE, readLines } from './read-lines.ts';
export { type KeyWarning, registerKey } from './register-key.ts';
export { currentRootAges } from './root-ages.ts';
export { createRootRegistry, type RootRegistry } from './root-registry.ts';
export {
  addRoots,
  importRoots,
  OPERATOR_SOURCE,
  parseRoot,
  type RootInput,
  type RootKeyRules,
  rootLine,
} from './roots.ts';
export {
  ENVIRONMENTS,
  IDENTIFIERS,
  type Identifier,
  isEnvironment,
  isTree,
  TREE_OF,
  TREES,
} from './trees.ts';
export {
  boundKey,
  checkKeyUse,
  type KeyBindings,
  type KeyInfo,
  type KeyWithBytes,
  listKeys,
  readKey,
} from './verifying-keys.ts';
