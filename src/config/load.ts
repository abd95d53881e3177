import { availableParallelism } from 'node:os';
import { type AppListReading, readAppList } from './apps/read-list.ts';
import { buildConfig } from './build-config.ts';
import { consistencyFaults, consistencyWarnings } from './consistency.ts';
import { describeOrigin, type Fault, throwFaults } from './faults.ts';
import type { LoadedConfig, Origin } from './loaded-config.ts';
import { keysOfFile, readConfigFile, readMember, writeMember } from './read-file.ts';
import { type GivenValue, isReadableByOthers, readEnvironment, readFlags } from './read-sources.ts';
import { findSetting, SETTINGS } from './schema.ts';
import { defaultValue, filePath, type SettingValue } from './setting.ts';
import type { Profile } from './types.ts';
import { validateMembers } from './validate.ts';

/** Where settings are looked for. */
export interface LoadOptions {
  /** Values of command-line flags by setting key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Path of `--config`; it must exist. */
  readonly configFile?: string;
  /** The environment of the process where absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder of the default configuration file; the working directory where absent. */
  readonly cwd?: string;
  /** Standard output is a terminal; decides the default of `log.format`. */
  readonly isTerminal?: boolean;
}

const APP_LIST = 'apps.list';

function profileOf(members: Readonly<Record<string, unknown>>): Profile {
  const setting = findSetting('profile');
  const value = members.profile;
  const isKnown = setting?.type === 'choice' && typeof value === 'string' && setting.choices.includes(value);
  return isKnown ? (value as Profile) : 'development';
}

/** Keys of a file that hold a secret. */
function secretsOfFile(fileKeys: readonly string[], appList: AppListReading, origin: Origin): string[] {
  const secrets = fileKeys.filter((key) => findSetting(key)?.isSecret);
  return appList.holdsSecret && origin === 'file' ? [...secrets, APP_LIST] : secrets;
}

function flaggedSecrets(appList: AppListReading, origin: Origin): string[] {
  return appList.holdsSecret && origin === 'flag'
    ? [
        `--${APP_LIST}: a secret on the command line is seen by every user of the machine; use client_secret_file`,
      ]
    : [];
}

async function fileWarnings(path: string | undefined, secrets: readonly string[]): Promise<string[]> {
  if (path === undefined || secrets.length === 0 || !(await isReadableByOthers(path))) {
    return [];
  }
  return [`${path}: holds ${secrets.join(', ')} and is readable by other users; chmod o-r closes it`];
}

function valuesInForce(
  members: unknown,
  profile: Profile,
  isTerminal: boolean,
): Record<string, SettingValue | undefined> {
  const values: Record<string, SettingValue | undefined> = {};
  const input = {
    profile,
    parallelism: availableParallelism(),
    isTerminal,
    value: (key: string): SettingValue | undefined => values[key],
  };
  for (const setting of SETTINGS) {
    const given = readMember(members, filePath(setting.key)) as SettingValue | undefined;
    values[setting.key] = given ?? defaultValue(setting, input);
  }
  return values;
}

/**
 * The settings in force: default < file < environment < flag, checked as a whole.
 *
 * @throws ServiceError `config.invalid`; the message lists all faults.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const file = await readConfigFile(options.configFile, options.cwd ?? process.cwd());
  const fileKeys = keysOfFile(file.members);
  const environment = await readEnvironment(options.env ?? process.env);
  const flags = readFlags(options.flags ?? {});
  const given = new Map<string, GivenValue>([...environment.values, ...flags.values]);
  for (const [key, { value }] of given) {
    writeMember(file.members, filePath(key), value);
  }
  const originOf = (key: string): Origin =>
    given.get(key)?.origin ?? (fileKeys.includes(key) ? 'file' : 'default');
  const profile = profileOf(file.members);
  const listed = readMember(file.members, filePath(APP_LIST));
  const appList = await readAppList(listed, profile, options.cwd ?? process.cwd());
  const exposed = [...environment.exposedFiles, ...appList.exposedFiles];
  const faults: Fault[] = [
    ...validateMembers(file.members, originOf),
    ...environment.faults,
    ...flags.faults,
    ...appList.faults.map((fault) => `${fault}   ${describeOrigin(originOf(APP_LIST))}`),
    ...(profile === 'production' ? exposed : []),
  ];
  throwFaults(faults);
  const values = valuesInForce(file.members, profile, options.isTerminal ?? false);
  const config = buildConfig(values, appList.apps);
  throwFaults(consistencyFaults(config));
  return {
    config,
    values,
    origins: Object.fromEntries(SETTINGS.map((setting) => [setting.key, originOf(setting.key)])),
    warnings: [
      ...environment.warnings,
      ...flags.warnings,
      ...(profile === 'production' ? [] : exposed),
      ...(await fileWarnings(file.path, secretsOfFile(fileKeys, appList, originOf(APP_LIST)))),
      ...flaggedSecrets(appList, originOf(APP_LIST)),
      ...consistencyWarnings(config),
    ],
    file: file.path,
  };
}
