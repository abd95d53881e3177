/**
 * The one registry of apps (spec/sign-in.md#clients, spec/verification.md#apps): each is a relying party of
 * verification and, with redirect URIs, a client of sign-in. This folder has the rules for the fields and secrets of
 * apps; rows are in `src/storage`.
 */
export { APP_ID, isStaging } from '../config/apps/app-forms.ts';
export { type AddressKeys, type AddressKeysOf, createAddressKeys } from './address-keys.ts';
export { createApp, findApp, type NewApp, removeApp, setAppStatus } from './apps.ts';
export { type BridgeIds, createBridgeIds } from './bridge-ids.ts';
export { type Clients, type ClientsOptions, createClients, type RehashObserver } from './clients.ts';
export { addConfiguredApps, openApps, withConfiguredApps } from './configured-apps.ts';
export { matchesPostLogoutUri, matchesRedirectUri, originsOf } from './match-redirect-uri.ts';
export { needsSecret } from './new-app-row.ts';
export { type Registered, type Registration, registerApp } from './register-app.ts';
export { type ByteSealer, createByteSealer, type OpenedBytes } from './secrets/byte-sealer.ts';
export { findMasterKey, type KeyConfig, masterKeyOf, previousMasterKeyOf } from './secrets/master-key.ts';
export {
  DEFAULT_OVERLAP_MS,
  developmentSecrets,
  type Rotation,
  removeSecret,
  rotateSecret,
} from './secrets/rotate-secret.ts';
export { describeSecrets, type SecretCensus, secretCensus } from './secrets/secret-census.ts';
export {
  findSecretKeys,
  previousDerivedKeyOf,
  previousSecretKeyOf,
  type SecretKeys,
  secretKeyOf,
  secretKeysOf,
} from './secrets/secret-key.ts';
export { type NewSecret, secretKeyId } from './secrets/secrets.ts';
export { appJson, registeredJson, type ShownApp, type ShownSecret, secretJson } from './show-app.ts';
export {
  acceptsLevel,
  levelRefusal,
  type SigninPolicy,
  signinEnvironment,
  signinPolicy,
} from './signin-policy.ts';
export { type AppChange, updateApp } from './update-app.ts';
