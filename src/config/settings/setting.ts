/** Names of profiles, the default one first. */
export const PROFILES = ['development', 'production', 'test', 'bench'] as const;

/**
 * Profile of a process (spec/operations.md#profiles). `test` and `bench` are development plus the
 * known-trapdoor key.
 */
export type Profile = (typeof PROFILES)[number];

/** A value of a setting; undefined is "not set", which some settings allow. */
export type SettingValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly ListedApp[]
  | readonly ListedSource[];

/** An entry of `apps.list` before `apps/read-list.ts` checks it. */
export type ListedApp = Readonly<Record<string, unknown>>;

/** An entry of `roots.sources` before `roots/read-sources.ts` checks it: the name of a preset, or an object. */
export type ListedSource = string | Readonly<Record<string, unknown>>;

/** Inputs of a computed default. */
export interface DefaultInput {
  readonly profile: Profile;
  /** Processors that this process may use. */
  readonly parallelism: number;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Returns the value of a setting earlier in the list. */
  value(key: string): SettingValue | undefined;
}

/** A default that depends on the profile or on other settings; `text` is its form in the documentation. */
export interface ComputedDefault<T> {
  readonly text: string;
  readonly compute: (input: DefaultInput) => T;
  /** Setting from whose value the default is derived; without it there is no default. */
  readonly follows?: string;
}

interface Described {
  readonly key: string;
  /** A second flag of the command line, without dashes, in addition to the key. */
  readonly alias?: string;
  /** One sentence for the documentation, JSON Schema and help. */
  readonly sentence: string;
  /** Never printed; `<NAME>_FILE` is accepted. */
  readonly isSecret?: true;
  /** An address whose path and query may contain a secret: only its origin is shown. */
  readonly isMaskedAddress?: true;
  /**
   * Instructions for setting it, as text after the name of the setting and "; "; present if production accepts no
   * default.
   */
  readonly requiredInProduction?: string;
}

/** A whole number in a range. */
export interface IntegerSetting extends Described {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly unit:
    | 'bytes'
    | '%'
    | 'items'
    | 'ms'
    | 's'
    | 'requests/s'
    | 'requests/min'
    | 'requests'
    | 'connections'
    | 'credentials'
    | 'proofs'
    | 'rows'
    | 'threads'
    | 'percent'
    | 'port';
  readonly default: number | ComputedDefault<number>;
}

/** A switch. */
export interface BooleanSetting extends Described {
  readonly type: 'boolean';
  readonly default: boolean | undefined | ComputedDefault<boolean>;
}

/** One of a few words. */
export interface ChoiceSetting extends Described {
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string | ComputedDefault<string>;
}

/** A text of a given form. */
export interface TextSetting extends Described {
  readonly type: 'text';
  readonly pattern: string;
  /** Whole numbers that the configuration file may have instead of their digits. */
  readonly numbers?: readonly [minimum: number, maximum: number];
  /** The requirement of the pattern, as text after "expected". */
  readonly expected: string;
  readonly default: string | undefined | ComputedDefault<string | undefined>;
}

/** Several texts of one form: an array in the file, elsewhere separated by commas or as JSON. */
export interface ListSetting extends Described {
  readonly type: 'list';
  readonly maxItems: number;
  /** Form of each text. */
  readonly pattern: string;
  readonly expected: string;
  readonly default: readonly string[];
}

/** Apps: an array of objects in the file, elsewhere as JSON. */
export interface AppsSetting extends Described {
  readonly type: 'apps';
  readonly default: readonly ListedApp[];
}

/** Sources of roots: an array of names and objects in the file, elsewhere names separated by commas or JSON. */
export interface SourcesSetting extends Described {
  readonly type: 'sources';
  readonly default: readonly ListedSource[];
}

/** One row of the list of settings. */
export type Setting =
  | IntegerSetting
  | BooleanSetting
  | ChoiceSetting
  | TextSetting
  | ListSetting
  | AppsSetting
  | SourcesSetting;

const KEY_BINDING = 'verify.key.';

/** Returns the environment variable of a key: `engine.maxBatchDelayMs` is `PROOFGATE_ENGINE_MAX_BATCH_DELAY_MS`. */
export function envName(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('.', '_');
  return `PROOFGATE_${words.toUpperCase()}`;
}

/** Returns the path of a key in the configuration file: one member per dot, but a key binding is one member of `key`. */
export function filePath(key: string): readonly string[] {
  if (key.startsWith(KEY_BINDING)) {
    return ['verify', 'key', key.slice(KEY_BINDING.length)];
  }
  return key.split('.');
}

/** Returns the accepted values of a setting, as text after "expected". */
export function describeExpected(setting: Setting): string {
  switch (setting.type) {
    case 'integer':
      return `${setting.minimum}..${setting.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return setting.choices.join(', ');
    case 'text':
    case 'list':
      return setting.expected;
    case 'apps':
      return 'an array of apps';
    case 'sources':
      return 'names of presets, or an array of names and objects';
  }
}

/** Returns the default in its form for the documentation. */
export function describeDefault(setting: Setting): string {
  if (setting.default === undefined) {
    return 'not set';
  }
  if (setting.type === 'apps' || setting.type === 'sources') return 'none';
  if (setting.type === 'list') return setting.default.length === 0 ? 'none' : setting.default.join(', ');
  return typeof setting.default === 'object' ? setting.default.text : `\`${setting.default}\``;
}

/** Returns the default in force, given the profile and the earlier settings. */
export function defaultValue(setting: Setting, input: DefaultInput): SettingValue | undefined {
  if (setting.type === 'list' || setting.type === 'apps' || setting.type === 'sources')
    return setting.default;
  return typeof setting.default === 'object' ? setting.default.compute(input) : setting.default;
}

/** Origin of the value of a setting. `env-file` is a file given by a `<NAME>_FILE` variable. */
export type Origin = 'default' | 'file' | 'env' | 'env-file' | 'flag';
