import type { Origin, SettingValue } from '../settings/setting.ts';
import type { Config } from '../settings/types.ts';
import type { Fault } from './faults.ts';

/** The settings in force, with the origin of each key and what the operator should know of them. */
export interface LoadedConfig {
  readonly config: Config;
  /** Value by setting key; undefined is "not set". Holds secrets. */
  readonly values: Readonly<Record<string, SettingValue | undefined>>;
  /** Origin by setting key, e.g. `engine.maxQueue`; every key of `schema.ts` is present. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** One sentence each: unknown variables, readable secret files, settings that defeat each other. */
  readonly warnings: readonly string[];
  /** The configuration file that was read, if any. */
  readonly file: string | undefined;
}

/** Settings with all that is wrong with them; a setting with a fault has its default. */
export interface ExaminedConfig extends LoadedConfig {
  /** Everything that refuses them in any profile, one sentence each. */
  readonly faults: readonly Fault[];
  /** Settings that were given and could not be read: whether they are set, and to what, is not to be told from them. */
  readonly faultyKeys: ReadonlySet<string>;
}
