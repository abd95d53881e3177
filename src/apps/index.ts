/**
 * The one registry of apps (spec/sign-in.md#clients, spec/verification.md#apps): each is a relying party of
 * verification and, with redirect URIs, a client of sign-in. This folder has the rules for the fields and secrets of
 * apps; rows are in `src/storage`.
 */
export { APP_ID, isStaging } from '../config/apps/app-forms.ts';
export {
  type AddressKeys,
  type AddressKeysOf,
  type BridgeIds,
  createAddressKeys,
  createBridgeIds,
} from './address-keys.ts';
export {
  createApp,
  findApp,
  type NewApp,
  type Registered,
  type Registration,
  registerApp,
  removeApp,
  setAppStatus,
} from './apps.ts';
export {
  type Clients,
  type ClientsOptions,
  createClients,
  matchesPostLogoutUri,
  matchesRedirectUri,
  originsOf,
  type RehashObserver,
} from './clients.ts';
export { addConfiguredApps, openApps, withConfiguredApps } from './configured-apps.ts';
export { needsSecret } from './new-app-row.ts';
export {
  type ByteSealer,
  createByteSealer,
  findMasterKey,
  type KeyConfig,
  masterKeyOf,
  type OpenedBytes,
  previousMasterKeyOf,
} from './secrets/master-key.ts';
export {
  DEFAULT_OVERLAP_MS,
  developmentSecrets,
  type Rotation,
  removeSecret,
  rotateSecret,
} from './secrets/rotate-secret.ts';
export {
  describeSecrets,
  findSecretKeys,
  type NewSecret,
  previousDerivedKeyOf,
  previousSecretKeyOf,
  type SecretCensus,
  type SecretKeys,
  secretCensus,
  secretKeyId,
  secretKeyOf,
  secretKeysOf,
} from './secrets/secrets.ts';
export { appJson, registeredJson, type ShownApp, type ShownSecret, secretJson } from './show-app.ts';
export {
  acceptsLevel,
  levelRefusal,
  type SigninPolicy,
  signinEnvironment,
  signinPolicy,
} from './signin-policy.ts';
export { type AppChange, updateApp } from './update-app.ts';
