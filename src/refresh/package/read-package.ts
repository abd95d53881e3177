import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../bytes.ts';
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/strict-json.ts';
import { ServiceError } from '../../errors/service-error.ts';
import {
  MANIFEST_PART,
  PACKAGE_PARTS,
  PACKAGE_VALUES,
  type PackagePart,
  type PackageValue,
  type RefreshForm,
  SHARE_PARTS,
  type SharePart,
  SIGNATURE_PART,
} from '../request/parse-form.ts';

/** The rules of a custody package (spec/refresh.md#package-checks), by their names in the log. */
export type PackageRule =
  | 'parts'
  | 'manifest'
  | 'version'
  | 'digest'
  | 'signup_reason'
  | 'orb_key'
  | 'signature'
  | 'enrolment';

/**
 * Creates the refusal of a package (spec/refresh.md#order-of-checks, package).
 *
 * @param rule - For the log.
 * @param path - Name of the offending part of the request.
 * @param message - For the caller: names the rule and part, and contains no value.
 */
export function packageRefusal(rule: PackageRule, path: string, message: string): ServiceError {
  return new ServiceError('refresh.package_invalid', message, { check: 13, rule, path });
}

const MAX_MEMBERS = 128;
/** Maximum length of a name or value in Unicode code points, so that a character outside the BMP counts once. */
const MAX_CHARACTERS = 128;
const VERSION = 'version';

/** Members of a manifest by name. `version` is a string even if the orb wrote a number. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Reads the manifest, a flat JSON object of strings (spec/refresh.md#package-checks, manifest).
 *
 * A `version` that is a number counts as its digits in the text. `2.3` is version 2.3, but `2.30` and `23e-1` are not:
 * as numbers 2.10 and 2.1 would be equal, but they are different versions.
 *
 * @param bytes - `hashes.json` as received; the request parser bounds its size.
 * @throws ServiceError `refresh.package_invalid` for bytes that are not UTF-8, another JSON value, a repeated name
 *   (after unescaping), more than 128 members, a name or value of more than 128 characters
 */
export function readManifest(bytes: Uint8Array): Manifest {
  const json = parseJson(bytes);
  if (json.kind !== 'object') throw refusal('expected a JSON object');
  if (json.entries.length > MAX_MEMBERS) throw refusal(`more than ${MAX_MEMBERS} members`);
  const members = new Map<string, string>();
  for (const [name, value] of json.entries) {
    const text = value.kind === 'number' && name === VERSION ? value.source : value;
    if (typeof text !== 'string' && text.kind !== 'string') throw refusal('a member is not a text');
    members.set(bounded(name), bounded(typeof text === 'string' ? text : text.text));
  }
  return members;
}

function parseJson(bytes: Uint8Array): StrictJson {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch {
    throw refusal('not UTF-8');
  }
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof StrictJsonError) throw refusal(error.message);
    throw error;
  }
}

function bounded(text: string): string {
  if (text.length > MAX_CHARACTERS && [...text].length > MAX_CHARACTERS) {
    throw refusal(`a name or value of more than ${MAX_CHARACTERS} characters`);
  }
  return text;
}

function refusal(what: string): Error {
  return packageRefusal('manifest', MANIFEST_PART, `manifest: ${what}`);
}

/** A package value with its salt, each as the exact bytes of its part, which are UTF-8. */
export interface SaltedValue {
  readonly name: PackageValue;
  readonly value: Uint8Array;
  readonly salt: Uint8Array;
}

/** A share text: the exact bytes of its part, which are UTF-8. */
export interface Share {
  readonly name: SharePart;
  readonly bytes: Uint8Array;
}

/** The 19 parts of a package, none of them empty. */
export interface PackageParts {
  /** All seven values. */
  readonly values: readonly SaltedValue[];
  /** All three shares. */
  readonly shares: readonly Share[];
  /** Exact bytes of `hashes.json`, with any content. */
  readonly manifest: Uint8Array;
  /** Exact bytes of `hashes.sign`, with any content. */
  readonly signature: Uint8Array;
  /** Returns the text of a value. */
  textOf(name: PackageValue): string;
}

const VALUE_BYTES = 256;
const SALT_BYTES = 128;
const SHARE_BYTES = 262_144;

/** Maximum bytes of each part: above the output of any orb, and a bound on the input of the other rules. */
const LIMITS: ReadonlyMap<PackagePart, number> = new Map<PackagePart, number>([
  ...PACKAGE_VALUES.flatMap((value): [PackagePart, number][] => [
    [value, VALUE_BYTES],
    [`${value}_salt`, SALT_BYTES],
  ]),
  ...SHARE_PARTS.map((part): [PackagePart, number] => [part, SHARE_BYTES]),
  [MANIFEST_PART, 65_536],
  [SIGNATURE_PART, 80],
]);

/**
 * Reads all 19 parts (spec/refresh.md#package-checks, parts): each is present, not empty and within its limit; texts
 * are UTF-8.
 *
 * @throws ServiceError `refresh.package_invalid` naming the first offending part: absent parts first, then too long
 *   ones
 */
export function readParts(form: RefreshForm): PackageParts {
  const bytesOf = (part: PackagePart): Uint8Array => {
    const bytes = form.parts.get(part);
    if (bytes === undefined || bytes.length === 0) {
      throw packageRefusal('parts', part, `${part}: missing or empty, a package has all its 19 parts`);
    }
    return bytes;
  };
  for (const part of PACKAGE_PARTS) bytesOf(part);
  for (const [part, limitBytes] of LIMITS) checkLength(part, bytesOf(part).length, limitBytes);
  for (const part of PACKAGE_PARTS) {
    const isText = part !== MANIFEST_PART && part !== SIGNATURE_PART;
    if (isText && !isUtf8(bytesOf(part))) throw packageRefusal('parts', part, `${part}: not UTF-8`);
  }
  return {
    values: PACKAGE_VALUES.map((name) => ({ name, value: bytesOf(name), salt: bytesOf(`${name}_salt`) })),
    shares: SHARE_PARTS.map((name) => ({ name, bytes: bytesOf(name) })),
    manifest: bytesOf(MANIFEST_PART),
    signature: bytesOf(SIGNATURE_PART),
    textOf: (name) => decodeUtf8(bytesOf(name)),
  };
}

function checkLength(part: PackagePart, bytes: number, limitBytes: number): void {
  if (bytes <= limitBytes) return;
  const form = part === SIGNATURE_PART ? ', the signature itself and not its text' : '';
  throw packageRefusal('parts', part, `${part}: expected at most ${limitBytes} bytes${form}, got ${bytes}`);
}
