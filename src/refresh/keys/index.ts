/**
 * Credential keys (spec/credential.md#issuer-keys): the seed of the configuration or the sealed ones of the
 * store, which of them signs, rotation and revocation by operators, and the list that others verify
 * credentials with.
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
