import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, type JsonSchema } from '../../json.ts';
import { didYouMean, type Fault, settingFault, shownValue } from '../sources/faults.ts';
import { readMember } from '../sources/read-file.ts';
import { configJsonSchema } from './json-schema.ts';
import { findSetting, SETTINGS } from './schema.ts';
import { describeExpected, filePath, type Origin, type Setting } from './setting.ts';

/** Keys and their parent members: `engine` as well as `engine.workers`. */
const KNOWN_NAMES: readonly string[] = [
  ...SETTINGS.map((setting) => setting.key),
  ...new Set(
    SETTINGS.map((setting) => filePath(setting.key).slice(0, -1).join('.')).filter((name) => name !== ''),
  ),
];

/** Lists whose entries are checked by `readAppList` and `readRootSources`; their faults must not be reported twice. */
const LISTS_OF_ENTRIES = ['/apps/list/', '/roots/sources/'];

/**
 * Returns the part of a schema that applies to given members. Absent members cannot be invalid, and compiling the whole
 * schema takes longer than the rest of most commands.
 */
function partFor(schema: JsonSchema, members: unknown): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties) || !isObject(members)) return schema;
  const present = Object.entries(properties as Readonly<Record<string, JsonSchema>>)
    .filter(([name]) => Object.hasOwn(members, name))
    .map(([name, property]) => [name, partFor(property, members[name])]);
  return { ...schema, properties: Object.fromEntries(present) };
}

/** Compiled parts of the schema by their JSON text. */
const compiled = new Map<string, ValidateFunction>();

async function validatorOf(members: unknown): Promise<ValidateFunction> {
  const part = partFor(configJsonSchema(), members);
  const text = JSON.stringify(part);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  // Loaded on demand, because most commands are run without settings.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  // The schema is constant; a test, not each start, checks it against its dialect.
  const options = { allErrors: true, meta: false, validateSchema: false } as const;
  const validate = new Ajv2020(options).compile(part);
  compiled.set(text, validate);
  return validate;
}

function membersOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unknownKeyFault(key: string, isAtRoot: boolean): Fault {
  if (isAtRoot && findSetting(key) !== undefined) {
    return `${key}: write one object for each dot: ${JSON.stringify(nested(filePath(key)))}   from file`;
  }
  const near = didYouMean(key, KNOWN_NAMES);
  return `${key}: unknown setting${near === undefined ? '' : `; did you mean ${near}?`}   from file`;
}

function nested(path: readonly string[]): unknown {
  return path.reduceRight<unknown>((inner, member) => ({ [member]: inner }), '…');
}

/** Members that do not match the schema. */
export interface MemberFaults {
  readonly faults: readonly Fault[];
  /** Settings without a usable value because of these faults. */
  readonly keys: readonly string[];
}

/** Returns the setting at a path of members, or the list setting of an item at the path. */
function settingAt(path: readonly string[]): Setting | undefined {
  return findSetting(path.join('.')) ?? findSetting(path.slice(0, -1).join('.'));
}

/**
 * Returns the keys of the settings without a usable value because of a fault at a path; the path may be that of a
 * parent.
 */
function keysAt(path: readonly string[]): string[] {
  const setting = settingAt(path);
  if (setting !== undefined) return [setting.key];
  const isBelow = (key: string): boolean => path.every((member, index) => filePath(key)[index] === member);
  return SETTINGS.map(({ key }) => key).filter(isBelow);
}

function faultOf(error: ErrorObject, members: unknown, originOf: (key: string) => Origin): Fault {
  const path = membersOf(error.instancePath);
  const key = path.join('.');
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    return unknownKeyFault([...path, additionalProperty].join('.'), path.length === 0);
  }
  const setting = settingAt(path);
  const value = readMember(members, setting === undefined ? path : filePath(setting.key));
  if (setting === undefined) {
    return `${key}: expected an object, got ${JSON.stringify(value)?.slice(0, 80)}   from file`;
  }
  const text = `expected ${describeExpected(setting)}, got ${shownValue(setting, value)}`;
  return settingFault(setting, text, originOf(setting.key));
}

/** Checks the merged members of file, environment and flags against the generated schema. */
export async function validateMembers(
  members: Readonly<Record<string, unknown>>,
  originOf: (key: string) => Origin,
): Promise<MemberFaults> {
  if (Object.keys(members).length === 0) return { faults: [], keys: [] };
  const validate = await validatorOf(members);
  if (validate(members)) return { faults: [], keys: [] };
  const errors = (validate.errors ?? []).filter(
    (error) => !LISTS_OF_ENTRIES.some((list) => error.instancePath.startsWith(list)),
  );
  const wrong = errors.filter(({ keyword }) => keyword !== 'additionalProperties');
  return {
    faults: [...new Set(errors.map((error) => faultOf(error, members, originOf)))],
    keys: wrong.flatMap(({ instancePath }) => keysAt(membersOf(instancePath))),
  };
}
