import { readFile, stat } from 'node:fs/promises';
import { textOfFile } from '../../json.ts';
import { findSetting, SETTINGS } from '../settings/schema.ts';
import { envName, type Origin, type Setting, type SettingValue } from '../settings/setting.ts';
import { didYouMean, type Fault } from './faults.ts';

/** A value set by an operator, with its origin. */
export interface GivenValue {
  readonly value: SettingValue;
  readonly origin: Origin;
}

/** The result of reading a source: values by key, faults, and warnings. */
export interface SourceReading {
  readonly values: Map<string, GivenValue>;
  readonly faults: Fault[];
  /** Keys of settings with an unreadable value. */
  readonly faultyKeys: Set<string>;
  readonly warnings: string[];
  /** Files from which values were read, by key. */
  readonly files: Map<string, string>;
  /** Secret files that anyone on the machine can read: a warning in development, a fault in production. */
  readonly exposedFiles: string[];
}

/** Returns the reading of an empty source. */
export function emptyReading(): SourceReading {
  return {
    values: new Map(),
    faults: [],
    faultyKeys: new Set(),
    warnings: [],
    files: new Map(),
    exposedFiles: [],
  };
}

const OTHERS_MAY_READ = 0o004;

/** Whether users other than owner and group may read a file. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & OTHERS_MAY_READ) !== 0;
}

/**
 * Reads the secret in a file, trimmed; adds faults of the file to `reading`.
 *
 * @param name - The variable or field with the path; prefix of each fault.
 */
export async function readSecretFile(
  name: string,
  path: string,
  reading: SourceReading,
): Promise<string | undefined> {
  try {
    const text = textOfFile(await readFile(path)).trim();
    if (await isReadableByOthers(path)) {
      reading.exposedFiles.push(`${name}: ${path} is readable by other users; \`chmod 0600 ${path}\``);
    }
    if (text === '') {
      reading.faults.push(`${name}: the file ${path} is empty`);
      return undefined;
    }
    return text;
  } catch (error) {
    reading.faults.push(`${name}: the file ${path} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/**
 * Reads values from variables; an empty variable counts as not set.
 *
 * @param origin - `file` for the variables of a configuration file, where an unknown name is a fault instead of a
 *   warning, since it can only come from the author of the file.
 */
export async function readVariables(
  env: Readonly<Record<string, string | undefined>>,
  origin: 'env' | 'file' = 'env',
): Promise<SourceReading> {
  const reading = emptyReading();
  const known = new Set<string>();
  for (const setting of SETTINGS) {
    const name = envName(setting.key);
    known.add(name);
    const text = env[name] || undefined;
    const path = setting.isSecret ? env[`${name}_FILE`] || undefined : undefined;
    if (setting.isSecret) {
      known.add(`${name}_FILE`);
    }
    if (text !== undefined && path !== undefined) {
      reading.faults.push(
        `${setting.key} (${name}): expected ${name} or ${name}_FILE, got both   from ${origin}`,
      );
      reading.faultyKeys.add(setting.key);
    } else if (text !== undefined) {
      reading.values.set(setting.key, { value: parseText(setting, text), origin });
    } else if (path !== undefined) {
      const secret = await readSecretFile(`${name}_FILE`, path, reading);
      const value = secret === undefined ? undefined : parseText(setting, secret);
      if (value === undefined) reading.faultyKeys.add(setting.key);
      else reading.values.set(setting.key, { value, origin: origin === 'env' ? 'env-file' : origin });
      reading.files.set(setting.key, path);
    }
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('PROOFGATE_') && !known.has(name)) {
      const near = didYouMean(name, known);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      if (origin === 'file') reading.faults.push(`${name}: unknown variable${hint}   from file`);
      else reading.warnings.push(`${name}: unknown variable, ignored${hint}`);
    }
  }
  return reading;
}

/**
 * Returns the fault for a secret given as a flag, with instructions to set it otherwise. The value is not shown.
 *
 * @param flag - The flag as spelled.
 */
export function secretFlagFault(flag: string, { key }: Pick<Setting, 'key'>): Fault {
  const name = envName(key);
  return `${flag}: a secret is not accepted on the command line, where every user of the machine can read it; put it into a file of mode 0600 and its path into ${name}_FILE, or set ${name}   from flag`;
}

/** Reads values from command-line flags by key; a secret among them is a fault. */
export function readFlags(flags: Readonly<Record<string, string>>): SourceReading {
  const reading = emptyReading();
  for (const [key, text] of Object.entries(flags)) {
    const setting = findSetting(key);
    if (setting === undefined) {
      const near = didYouMean(
        key,
        SETTINGS.map((row) => row.key),
      );
      reading.faults.push(
        `--${key}: unknown setting${near === undefined ? '' : `; did you mean --${near}?`}   from flag`,
      );
      continue;
    }
    if (setting.isSecret) reading.faults.push(secretFlagFault(`--${key}`, setting));
    else reading.values.set(key, { value: parseText(setting, text), origin: 'flag' });
  }
  return reading;
}

/**
 * Converts the text of an environment variable, secret file or flag to the type of the setting. A text that does not
 * have the form of that type is returned unchanged, and the schema then reports what was expected.
 */
function parseText(setting: Setting, text: string): SettingValue {
  if (setting.type === 'integer' && /^-?\d{1,15}$/.test(text.trim())) {
    return Number(text);
  }
  if (setting.type === 'boolean' && (text === 'true' || text === 'false')) {
    return text === 'true';
  }
  if (setting.type === 'list' || setting.type === 'sources') return parseList(text);
  if (setting.type === 'apps') return parseJson(text);
  return text;
}

function parseList(text: string): SettingValue {
  if (text.trim() === '') return [];
  if (!text.trimStart().startsWith('[')) return text.split(',').map((item) => item.trim());
  return parseJson(text);
}

function parseJson(text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue;
  } catch {
    return text;
  }
}
