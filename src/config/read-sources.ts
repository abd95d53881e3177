import { readFile, stat } from 'node:fs/promises';
import { didYouMean } from './did-you-mean.ts';
import type { Fault } from './faults.ts';
import type { Origin } from './loaded-config.ts';
import { parseText } from './parse-text.ts';
import { findSetting, SETTINGS } from './schema.ts';
import { envName, type SettingValue } from './setting.ts';

/** A value that an operator gave, and where. */
export interface GivenValue {
  readonly value: SettingValue;
  readonly origin: Origin;
}

/** What a source holds: values by key, faults, and warnings. */
export interface SourceReading {
  readonly values: Map<string, GivenValue>;
  readonly faults: Fault[];
  readonly warnings: string[];
  /** Secret files that anyone on the machine can read: a warning in development, a fault in production. */
  readonly exposedFiles: string[];
}

/** A source that holds nothing. */
export function emptyReading(): SourceReading {
  return { values: new Map(), faults: [], warnings: [], exposedFiles: [] };
}

const OTHERS_MAY_READ = 0o004;

/** Whether users other than owner and group may read a file. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & OTHERS_MAY_READ) !== 0;
}

/**
 * The secret that a file holds, trimmed; what is wrong with the file goes into `reading`.
 *
 * @param name - What named the file; begins each fault.
 */
export async function readSecretFile(
  name: string,
  path: string,
  reading: SourceReading,
): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (await isReadableByOthers(path)) {
      reading.exposedFiles.push(`${name}: ${path} is readable by other users; chmod o-r closes it`);
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

/** Values of environment variables; an empty variable counts as not set. */
export async function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
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
      reading.faults.push(`${setting.key} (${name}): expected ${name} or ${name}_FILE, got both   from env`);
    } else if (text !== undefined) {
      reading.values.set(setting.key, { value: parseText(setting, text), origin: 'env' });
    } else if (path !== undefined) {
      const secret = await readSecretFile(`${name}_FILE`, path, reading);
      if (secret !== undefined) {
        reading.values.set(setting.key, { value: parseText(setting, secret), origin: 'env-file' });
      }
    }
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('PROOFGATE_') && !known.has(name)) {
      const near = didYouMean(name, known);
      reading.warnings.push(
        `${name}: unknown variable, ignored${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
  }
  return reading;
}

/** Values of command-line flags, by key. */
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
    if (setting.isSecret) {
      reading.warnings.push(
        `--${key}: a secret on the command line is seen by every user of the machine; use ${envName(key)}_FILE`,
      );
    }
    reading.values.set(key, { value: parseText(setting, text), origin: 'flag' });
  }
  return reading;
}
