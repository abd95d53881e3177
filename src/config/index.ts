/**
 * Settings: `schema.ts` is the one list of them, `load.ts` reads them from file, environment and flags,
 * `production-refusals.ts` lists what forbids a start in production. Other folders import the types of the settings
 * (`types.ts`). Rules: spec/operations.md#configuration and spec/operations.md#production-refusals.
 */

export type { JsonSchema } from '../json.ts';
export { isKnownKey } from './production/known-signing-keys.ts';
export {
  type BoundKey,
  isPrivateAddress,
  productionRefusals,
  refuseUnsafeStart,
  type StartFacts,
  type UnsafeCredentialKey,
} from './production/production-refusals.ts';
export {
  CHAIN_IDS,
  type ChainName,
  type ContractKind,
  PRESETS,
} from './roots/presets.ts';
export {
  type ChainSource,
  type HttpSource,
  hostsOf,
  isChainSource,
  quorumOf,
  type RootSource,
} from './roots/source-types.ts';
export { configJsonSchema } from './settings/json-schema.ts';
export { isLoopback, SETTINGS } from './settings/schema.ts';
export {
  describeDefault,
  describeExpected,
  envName,
  type Origin,
  type Profile,
  type Setting,
  type SettingValue,
} from './settings/setting.ts';
export type { Config, RootsConfig } from './settings/types.ts';
export { webhookKey } from './settings/webhook-consistency.ts';
export { type ExplainedSetting, explainConfig } from './sources/explain.ts';
export { throwFaults } from './sources/faults.ts';
export { dataDirMode, examineConfig, type LoadOptions, loadConfig } from './sources/load.ts';
export type { ExaminedConfig, LoadedConfig } from './sources/loaded-config.ts';
export { secretFlagFault } from './sources/read-sources.ts';
export { chainExpiresAt, readCertificate, type TlsFiles, tlsFilesOf } from './sources/tls-files.ts';
export { addressFilter } from './values/address-block.ts';
