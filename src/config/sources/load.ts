import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { MAX_LOGO_BYTES } from '../apps/app-forms.ts';
import { clientWarnings } from '../apps/client-warnings.ts';
import { logoType } from '../apps/logo.ts';
import { type AppListReading, readAppList } from '../apps/read-list.ts';
import { readRootSources } from '../roots/read-sources.ts';
import { buildConfig } from '../settings/build-config.ts';
import { consistencyFaults, consistencyWarnings } from '../settings/consistency.ts';
import { findSetting, SETTINGS } from '../settings/schema.ts';
import {
  defaultValue,
  envName,
  filePath,
  type Origin,
  type Profile,
  type SettingValue,
} from '../settings/setting.ts';
import { processors } from '../settings/shape.ts';
import type { PageLogo } from '../settings/types.ts';
import { validateMembers } from '../settings/validate.ts';
import { describeOrigin, type Fault, settingFault, throwFaults } from './faults.ts';
import type { ExaminedConfig, LoadedConfig } from './loaded-config.ts';
import { deleteMember, keysOfFile, readConfigFile, readMember, writeMember } from './read-file.ts';
import { readProxies } from './read-proxies.ts';
import { type GivenValue, isReadableByOthers, readFlags, readVariables } from './read-sources.ts';
import { ALLOW_UNTRUSTED, secretFilesOf, untrustedFaults } from './untrusted-files.ts';

/** Sources of settings. */
export interface LoadOptions {
  /** Values of command-line flags by setting key. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Path of `--config`; it must exist. JSON, or variables if its name ends with `.env`. */
  readonly configFile?: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder of the default configuration file and base of relative paths; default: the working directory. */
  readonly cwd?: string;
  /** Whether standard output is a terminal; determines the default of `log.format`. */
  readonly isTerminal?: boolean;
  /** Whether files that another user can write are refused; default: for root. */
  readonly isRoot?: boolean;
}

const APP_LIST = 'apps.list';
const ROOT_SOURCES = 'roots.sources';
const FILE_STORE = 'libsql:';

const SELF_TRUST: Fault = `${ALLOW_UNTRUSTED} (${envName(ALLOW_UNTRUSTED)}): expected in the environment or as a flag, since a file cannot vouch for itself   from file`;

function profileOf(members: Readonly<Record<string, unknown>>): Profile {
  const setting = findSetting('profile');
  const value = members.profile;
  const isKnown = setting?.type === 'choice' && typeof value === 'string' && setting.choices.includes(value);
  return isKnown ? (value as Profile) : 'development';
}

/** Returns the keys in a file whose values are or contain a secret. */
function secretsOfFile(fileKeys: readonly string[], appList: AppListReading, origin: Origin): string[] {
  const secrets = fileKeys.filter((key) => findSetting(key)?.isSecret);
  return appList.holdsSecret && origin === 'file' ? [...secrets, APP_LIST] : secrets;
}

function flaggedSecrets(appList: AppListReading, origin: Origin): Fault[] {
  return appList.holdsSecret && origin === 'flag'
    ? [
        `--${APP_LIST}: a client_secret is not accepted on the command line, where every user of the machine can read it; use client_secret_file   from flag`,
      ]
    : [];
}

async function fileWarnings(path: string | undefined, secrets: readonly string[]): Promise<string[]> {
  if (path === undefined || secrets.length === 0 || !(await isReadableByOthers(path))) {
    return [];
  }
  return [`${path}: holds ${secrets.join(', ')} and is readable by other users; \`chmod 0600 ${path}\``];
}

function valuesInForce(
  members: unknown,
  profile: Profile,
  isTerminal: boolean,
): Record<string, SettingValue | undefined> {
  const values: Record<string, SettingValue | undefined> = {};
  const input = {
    profile,
    parallelism: processors(),
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
 * Reads the settings in force, default < file < environment < flag, and checks them as a whole. A setting with a fault
 * takes its default, so that all faults can be reported together; use such a configuration only for reports.
 *
 * @throws ServiceError `config.invalid` if the file cannot be read, since its content is unknown
 */
export async function examineConfig(options: LoadOptions = {}): Promise<ExaminedConfig> {
  const cwd = options.cwd ?? process.cwd();
  const environment = await readVariables(options.env ?? process.env);
  const flags = readFlags(options.flags ?? {});
  const given = new Map<string, GivenValue>([...environment.values, ...flags.values]);
  const isRoot = options.isRoot ?? process.geteuid?.() === 0;
  const trustsAll = !isRoot || given.get(ALLOW_UNTRUSTED)?.value === true;
  const file = await readConfigFile(options.configFile, cwd, trustsAll);
  const fileVariables = await readVariables(Object.fromEntries(file.variables), 'file');
  for (const [key, { value }] of fileVariables.values) writeMember(file.members, filePath(key), value);
  const fileKeys = keysOfFile(file.members);
  // A variable may contain the path of a secret file instead of the secret.
  const ownKeys = fileKeys.filter((key) => !file.variables.has(`${envName(key)}_FILE`));
  throwFaults(file.faults.length === 0 ? [] : [...file.faults, ...environment.faults, ...flags.faults]);
  for (const [key, { value }] of given) {
    writeMember(file.members, filePath(key), value);
  }
  const originOf = (key: string): Origin =>
    given.get(key)?.origin ?? (fileKeys.includes(key) ? 'file' : 'default');
  const profile = profileOf(file.members);
  const listed = readMember(file.members, filePath(APP_LIST));
  const listedSources = readMember(file.members, filePath(ROOT_SOURCES));
  const appList = await readAppList(listed, profile, cwd);
  const rootSources = readRootSources(listedSources, cwd);
  const logoFile = readMember(file.members, filePath(LOGO_FILE));
  const pageLogo = await readPageLogo(logoFile, cwd, originOf(LOGO_FILE));
  const exposed = [...fileVariables.exposedFiles, ...environment.exposedFiles, ...appList.exposedFiles];
  const wrong = await validateMembers(file.members, originOf);
  const faultyKeys = new Set([...wrong.keys, ...fileVariables.faultyKeys, ...environment.faultyKeys]);
  for (const key of faultyKeys) deleteMember(file.members, filePath(key));
  const values = valuesInForce(file.members, profile, options.isTerminal ?? false);
  const proxies = readProxies(values, options.env ?? process.env, originOf);
  const fileOf = (key: string): string | undefined => {
    const { files } = given.has(key) ? environment : fileVariables;
    return files.get(key);
  };
  const config = buildConfig(values, appList.apps, pageLogo.logo, rootSources.sources, proxies.rules, {
    url: fileOf('storage.url'),
    password: fileOf('storage.password'),
  });
  const secretFiles = secretFilesOf(
    [options.env ?? process.env, Object.fromEntries(file.variables)],
    [listed, listedSources],
  );
  const { dataDir, storage, tls } = config;
  const trustedFiles = [...secretFiles, tls.certFile, tls.keyFile].filter((path) => path !== undefined);
  const folders = [
    dataDir,
    ...(storage.url.startsWith(FILE_STORE) ? [dirname(storage.url.slice(FILE_STORE.length))] : []),
  ];
  const absolute = (path: string): string => resolve(cwd, path);
  const untrusted = trustsAll ? [] : await untrustedFaults(trustedFiles.map(absolute), folders.map(absolute));
  return {
    config,
    values,
    origins: Object.fromEntries(SETTINGS.map((setting) => [setting.key, originOf(setting.key)])),
    warnings: [
      ...environment.warnings,
      ...proxies.warnings,
      ...(profile === 'production' ? [] : exposed),
      ...appList.apps.flatMap(({ clientId, client }) =>
        clientWarnings(client).map((text) => `${APP_LIST}: ${clientId}: ${text}`),
      ),
      ...(await fileWarnings(file.path, [
        ...secretsOfFile(ownKeys, appList, originOf(APP_LIST)),
        ...(rootSources.holdsSecret && originOf(ROOT_SOURCES) === 'file' ? [ROOT_SOURCES] : []),
      ])),
      ...consistencyWarnings(config),
    ],
    file: file.path,
    files: [...trustedFiles, file.path, typeof logoFile === 'string' ? logoFile : undefined]
      .filter((path) => path !== undefined)
      .map(absolute),
    faults: [
      ...wrong.faults,
      ...fileVariables.faults,
      ...environment.faults,
      ...flags.faults,
      ...appList.faults.map((fault) => `${fault}   ${describeOrigin(originOf(APP_LIST))}`),
      ...rootSources.faults.map((fault) => `${fault}   ${describeOrigin(originOf(ROOT_SOURCES))}`),
      ...pageLogo.faults,
      ...proxies.faults,
      ...flaggedSecrets(appList, originOf(APP_LIST)),
      ...(fileKeys.includes(ALLOW_UNTRUSTED) ? [SELF_TRUST] : []),
      ...untrusted,
      ...(profile === 'production' ? exposed : []),
      ...consistencyFaults(config)
        .filter(({ settings }) => !settings.some((key) => faultyKeys.has(key)))
        .map(({ fault }) => fault),
    ],
    faultyKeys,
  };
}

/**
 * Loads the settings in force: default < file < environment < flag, checked as a whole.
 *
 * @throws ServiceError `config.invalid`; the message lists all faults.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const examined = await examineConfig(options);
  throwFaults(examined.faults);
  return examined;
}

/** Returns the mode bits of the data folder, or undefined if it does not exist yet. */
export async function dataDirMode(dataDir: string): Promise<number | undefined> {
  try {
    return (await stat(dataDir)).mode & 0o7777;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** The result of reading `signin.logoFile`. */
export interface PageLogoReading {
  readonly logo: PageLogo | undefined;
  readonly faults: readonly Fault[];
}

/** Key of the setting with the path of the logo file. */
export const LOGO_FILE = 'signin.logoFile';

// An XML declaration and comments may come before the root.
const SVG_ROOT = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-[^-])*-->\s*)*<svg[\s>]/;
/** Content that a browser would execute, load or expand if it opens the SVG directly; logos do not need it. */
const SVG_DANGERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/<!(?:DOCTYPE|ENTITY)/i, 'a document type or an entity'],
  [/<(?:\w+:)?script/i, 'a script'],
  [/<(?:\w+:)?foreignObject/i, 'a foreignObject'],
  [/\son\w+\s*=/i, 'an event handler'],
  [/javascript:/i, 'a javascript: address'],
  [/(?:href|src)\s*=\s*["']\s*(?:https?:)?\/\//i, 'an address of another server'],
];

/**
 * Reads the file of `signin.logoFile`.
 *
 * @param value - As given; a value that is not a string is reported by the schema.
 * @param cwd - Base folder of a relative path.
 */
export async function readPageLogo(value: unknown, cwd: string, origin: Origin): Promise<PageLogoReading> {
  const setting = findSetting(LOGO_FILE);
  if (typeof value !== 'string' || value === '' || setting === undefined)
    return { logo: undefined, faults: [] };
  const fault = (text: string): PageLogoReading => ({
    logo: undefined,
    faults: [settingFault(setting, `${JSON.stringify(value)}: ${text}`, origin)],
  });
  try {
    const bytes = await readFile(resolve(cwd, value));
    if (bytes.length > MAX_LOGO_BYTES)
      return fault(`expected at most ${MAX_LOGO_BYTES} bytes, got ${bytes.length}`);
    const contentType = logoType(bytes) ?? 'image/svg+xml';
    const danger = contentType === 'image/svg+xml' ? svgFault(new TextDecoder().decode(bytes)) : undefined;
    return danger === undefined ? { logo: { contentType, bytes }, faults: [] } : fault(danger);
  } catch (error) {
    return fault(`cannot be read: ${(error as Error).message}`);
  }
}

function svgFault(text: string): string | undefined {
  if (!SVG_ROOT.test(text)) return 'expected a PNG, JPEG, WebP or SVG, got other content';
  const danger = SVG_DANGERS.find(([pattern]) => pattern.test(text));
  return danger && `expected an SVG that is only a picture, got one with ${danger[1]}`;
}
