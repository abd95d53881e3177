import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { didYouMean } from '../sources/did-you-mean.ts';
import { type Fault, settingFault, shownValue } from '../sources/faults.ts';
import { readMember } from '../sources/read-file.ts';
import { configJsonSchema } from './json-schema.ts';
import { findSetting, SETTINGS } from './schema.ts';
import { describeExpected, filePath, type Origin, type Setting } from './setting.ts';

/** Keys, and the members that contain them: `engine` as well as `engine.workers`. */
const KNOWN_NAMES: readonly string[] = [
  ...SETTINGS.map((setting) => setting.key),
  ...new Set(
    SETTINGS.map((setting) => filePath(setting.key).slice(0, -1).join('.')).filter((name) => name !== ''),
  ),
];

/** `readAppList` and `readRootSources` report the faults of entries, which must not be reported twice. */
const LISTS_OF_ENTRIES = ['/apps/list/', '/roots/sources/'];

let compiled: ValidateFunction | undefined;

function validator(): ValidateFunction {
  // The schema is the program's own and checked against its dialect by a test, not at each start, which takes 50 ms.
  const options = { allErrors: true, meta: false, validateSchema: false } as const;
  compiled ??= new Ajv2020(options).compile(configJsonSchema());
  return compiled;
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
  /** Settings that have no usable value because of them. */
  readonly keys: readonly string[];
}

/** Returns the setting at a path of members, or the list setting that has an item at the path. */
function settingAt(path: readonly string[]): Setting | undefined {
  return findSetting(path.join('.')) ?? findSetting(path.slice(0, -1).join('.'));
}

/** Returns the keys of the settings that have no usable value because of a fault at a path, which may be above them. */
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
export function validateMembers(members: unknown, originOf: (key: string) => Origin): MemberFaults {
  const validate = validator();
  if (validate(members)) {
    return { faults: [], keys: [] };
  }
  const errors = (validate.errors ?? []).filter(
    (error) => !LISTS_OF_ENTRIES.some((list) => error.instancePath.startsWith(list)),
  );
  const wrong = errors.filter(({ keyword }) => keyword !== 'additionalProperties');
  return {
    faults: [...new Set(errors.map((error) => faultOf(error, members, originOf)))],
    keys: wrong.flatMap(({ instancePath }) => keysAt(membersOf(instancePath))),
  };
}
