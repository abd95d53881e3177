import type { Origin, SettingValue } from '../settings/setting.ts';
import type { Config } from '../settings/types.ts';
import type { Fault } from './faults.ts';

/** The settings in force, with the origin of each key and warnings for the operator. */
export interface LoadedConfig {
  readonly config: Config;
  /** Value by setting key; undefined is "not set". Contains secrets. */
  readonly values: Readonly<Record<string, SettingValue | undefined>>;
  /** Origin by setting key, e.g. `engine.maxQueue`; every key of `schema.ts` is present. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** One sentence each: unknown variables, readable secret files, conflicting settings. */
  readonly warnings: readonly string[];
  /** The configuration file that was read, if any. */
  readonly file: string | undefined;
  /** Absolute paths of all files from which values were read, and of the certificate. */
  readonly files: readonly string[];
}

/** Settings with all their faults; a setting with a fault has its default. */
export interface ExaminedConfig extends LoadedConfig {
  /** Faults that forbid a start in any profile, one line each. */
  readonly faults: readonly Fault[];
  /** Keys of settings that were given but are unusable: `values` and `origins` do not reflect what was given. */
  readonly faultyKeys: ReadonlySet<string>;
}
