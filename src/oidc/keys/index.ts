/**
 * Signing keys of sign-in (spec/sign-in.md#signing-keys): states, rotation and removal over the store,
 * private parts sealed under the master key, and the published key set.
 */
export { ALGORITHM } from './generate-key.ts';
export { type KeyAge, keyAges } from './key-ages.ts';
export { createKeyOperator } from './key-operator.ts';
export { createKeySet, type KeySet } from './key-set.ts';
export { type OpenedKeys, tryOpenKeys } from './open-keys.ts';
export { type KeyChange, removeKey, rotateNow } from './operate.ts';
export { type KeyOperator, rotationDueAt } from './rotation.ts';
export { createSealer, type Sealer } from './seal.ts';
export {
  createSigningKeys,
  type SigningKeys,
  type SigningKeysParts,
  type TokenType,
} from './signing-keys.ts';
