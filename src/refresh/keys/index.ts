/**
 * Credential keys (spec/credential.md#issuer-keys): the configured seed or the sealed seeds of the store, the
 * choice of the key that signs, rotation and revocation by operators, and the public list of keys for
 * verifiers.
 */
export {
  type CredentialKeyAge,
  type CredentialKeys,
  type CredentialKeysParts,
  type CredentialSignature,
  createCredentialKeys,
} from './credential-keys.ts';
export {
  type CredentialKeyConfig,
  type CredentialKeyOperator,
  createCredentialKeyOperator,
} from './key-operator.ts';
export { issuerKeysDocument, listedKey, publicKeyText, unsafeKeys } from './listed-keys.ts';
export { isSealed, openKey } from './open-key.ts';
export {
  type CredentialKeyRevocation,
  type CredentialKeyRotation,
  revokeCredentialKey,
  rotateCredentialKey,
} from './operate.ts';
export { activeOf } from './prepare-keys.ts';
export { type KeyEngine, type RegisteredKey, registerConfigured } from './register-seed.ts';
