import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject, textOfFile } from '../../json.ts';
import { SETTINGS } from '../settings/schema.ts';
import { filePath } from '../settings/setting.ts';
import type { Fault } from './faults.ts';
import { untrustedFile } from './untrusted-files.ts';

/** Name of the configuration file that is read from the working directory by default. */
export const DEFAULT_FILE = 'proofgate.config.json';

/** Suffix of a file with variables instead of JSON. */
const VARIABLES_SUFFIX = '.env';

/** A configuration file, not yet checked against the schema. */
export interface ConfigFile {
  readonly path: string | undefined;
  /** Members of a JSON file; empty otherwise. */
  readonly members: Record<string, unknown>;
  /** Variables of a `.env` file; empty otherwise. */
  readonly variables: Variables;
  /** Reasons why the file cannot be read; its content is then unknown. */
  readonly faults: readonly Fault[];
}

function parseMembers(path: string, text: string): Pick<ConfigFile, 'members' | 'faults'> {
  const refuse = (fault: string): Pick<ConfigFile, 'members' | 'faults'> => ({
    members: {},
    faults: [fault],
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message of the parser may quote text around the fault, and so a secret.
    const position = /position \d+/.exec((error as Error).message)?.[0];
    const place = position === undefined ? '' : `, wrong at ${position}`;
    return refuse(`${path}: expected JSON${place}   from file`);
  }
  if (isObject(value)) return { members: value, faults: [] };
  return refuse(`${path}: expected a JSON object, got ${JSON.stringify(value)?.slice(0, 40)}   from file`);
}

/**
 * Reads the configuration file: JSON, or variables if its name ends with `.env`.
 *
 * @param named - Path of `--config`; it must exist. Undefined: `proofgate.config.json` in `cwd`, if it exists.
 * @param trustsAll - Whether a file that another user can write is accepted.
 */
export async function readConfigFile(
  named: string | undefined,
  cwd: string,
  trustsAll: boolean,
): Promise<ConfigFile> {
  const path = resolve(cwd, named ?? DEFAULT_FILE);
  const empty = { path, members: {}, variables: new Map(), faults: [] };
  let text: string;
  try {
    // A missing file is not read later either: another user may be about to create it.
    const untrusted = trustsAll ? undefined : await untrustedFile(path);
    if (untrusted !== undefined) return { ...empty, faults: [untrusted] };
    text = textOfFile(await readFile(path));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (named === undefined && 'code' in error && error.code === 'ENOENT')
      return { ...empty, path: undefined };
    return { ...empty, faults: [`${path}: the configuration file cannot be read: ${error.message}`] };
  }
  return path.endsWith(VARIABLES_SUFFIX)
    ? { ...empty, ...parseVariables(path, text) }
    : { ...empty, ...parseMembers(path, text) };
}

/** Returns the keys of the settings that a file sets. */
export function keysOfFile(members: Readonly<Record<string, unknown>>): string[] {
  return SETTINGS.map((setting) => setting.key).filter(
    (key) => readMember(members, filePath(key)) !== undefined,
  );
}

/** Returns the value at a path of members, or undefined. */
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

/** Removes the value at a path of members, if there is one. */
export function deleteMember(members: Record<string, unknown>, path: readonly string[]): void {
  const place = readMember(members, path.slice(0, -1));
  const last = path.at(-1);
  if (isObject(place) && last !== undefined) delete place[last];
}

/** Sets the value at a path of members; does nothing if a member on the way is not an object. */
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

/** Values by variable name. */
type Variables = ReadonlyMap<string, string>;

const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;
const QUOTED = /^(["'])(.*)\1$/;

/**
 * Parses a file of variables: one `NAME=value` per line, blank lines, and comments, which begin with `#` or `;`. This is
 * the format of systemd's `EnvironmentFile` and of `--env-file` of containers, without escapes: a value ends with its
 * line, spaces around it are ignored, and a pair of quotes around it is dropped.
 *
 * @param path - Prefix of each fault.
 */
function parseVariables(
  path: string,
  text: string,
): { readonly variables: Variables; readonly faults: readonly Fault[] } {
  const variables = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const [, name, value = ''] = LINE.exec(line) ?? [];
    // The line itself is not shown: it may contain a secret.
    if (name === undefined) faults.push(`${path}:${index + 1}: expected NAME=value or a comment   from file`);
    else if (variables.has(name)) faults.push(`${path}:${index + 1}: ${name} is set twice   from file`);
    else variables.set(name, unquoted(value.trim()));
  }
  return { variables, faults };
}

function unquoted(text: string): string {
  return QUOTED.exec(text)?.[2] ?? text;
}
