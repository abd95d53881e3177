import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { throwFaults } from './faults.ts';
import { SETTINGS } from './schema.ts';
import { filePath } from './setting.ts';

/** Name of the configuration file that is read from the working directory when no other is named. */
export const DEFAULT_FILE = 'proofgate.config.json';

/** A configuration file: its path and its members, not yet checked against the schema. */
export interface ConfigFile {
  readonly path: string | undefined;
  readonly members: Record<string, unknown>;
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseMembers(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The parser's own message may quote the text around the fault, and with it a secret.
    const position = /position \d+/.exec((error as Error).message)?.[0];
    throwFaults([
      `${path}: expected JSON${position === undefined ? '' : `, wrong at ${position}`}   from file`,
    ]);
  }
  if (!isObject(value)) {
    throwFaults([`${path}: expected a JSON object, got ${JSON.stringify(value)?.slice(0, 40)}   from file`]);
    return {};
  }
  return value;
}

/**
 * Reads the configuration file.
 *
 * @param named - Path of `--config`; it must exist. Undefined: `proofgate.config.json` of `cwd`, if there.
 * @throws ServiceError `config.invalid`
 */
export async function readConfigFile(named: string | undefined, cwd: string): Promise<ConfigFile> {
  const path = resolve(cwd, named ?? DEFAULT_FILE);
  try {
    return { path, members: parseMembers(path, await readFile(path, 'utf8')) };
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) {
      throw error;
    }
    if (named === undefined && 'code' in error && error.code === 'ENOENT') {
      return { path: undefined, members: {} };
    }
    throwFaults([`${path}: the configuration file cannot be read: ${error.message}`]);
    throw error;
  }
}

/** Keys of the settings that a file gives. */
export function keysOfFile(members: Readonly<Record<string, unknown>>): string[] {
  return SETTINGS.map((setting) => setting.key).filter(
    (key) => readMember(members, filePath(key)) !== undefined,
  );
}

/** The value at a path of members, or undefined. */
export function readMember(members: unknown, path: readonly string[]): unknown {
  let value = members;
  for (const member of path) {
    if (!isObject(value) || !Object.hasOwn(value, member)) {
      return undefined;
    }
    value = value[member];
  }
  return value;
}

/** Sets the value at a path of members; where the file has something else than an object on the way, it stays. */
export function writeMember(members: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let place = members;
  for (const member of path.slice(0, -1)) {
    const next = Object.hasOwn(place, member) ? place[member] : {};
    if (!isObject(next)) {
      return;
    }
    place[member] = next;
    place = next;
  }
  const last = path.at(-1);
  if (last !== undefined) {
    place[last] = value;
  }
}
