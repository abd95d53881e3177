/**
 * Settings: `schema.ts` is the one list of them, `load.ts` reads them from file, environment and flags,
 * `production-refusals.ts` says what forbids a start. Types of the settings (`types.ts`) are what the other folders
 * import.
 */
export { addressFilter, canonicalAddress } from './address-block.ts';
export { dataDirMode } from './data-dir.ts';
export { type ExplainedSetting, explainConfig } from './explain.ts';
export { throwFaults } from './faults.ts';
export { configJsonSchema, type JsonSchema } from './json-schema.ts';
export { isKnownKey } from './known-signing-keys.ts';
export { examineConfig, type LoadOptions, loadConfig } from './load.ts';
export type { ExaminedConfig, LoadedConfig, Origin } from './loaded-config.ts';
export {
  type BoundKey,
  isPrivateAddress,
  productionRefusals,
  refuseUnsafeStart,
  type StartFacts,
  type UnsafeCredentialKey,
} from './production-refusals.ts';
export { secretFlagFault } from './read-sources.ts';
export { isLoopback, SETTINGS } from './schema.ts';
export { describeDefault, describeExpected, envName, type Setting, type SettingValue } from './setting.ts';
export { readCertificate, type TlsFiles, tlsFilesOf } from './tls-files.ts';
export type { Config, Profile } from './types.ts';
