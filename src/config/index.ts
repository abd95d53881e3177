/**
 * Settings: `schema.ts` is the one list of them, `load.ts` reads them from file, environment and flags. Types of
 * the settings (`types.ts`) are what the other folders import.
 */
export type { LoadedConfig, Origin } from './loaded-config.ts';
export type { Config, Profile } from './types.ts';
