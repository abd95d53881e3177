import { decodeUtf8 } from '../../bytes.ts';
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/index.ts';
import { MANIFEST_PART } from '../request/index.ts';
import { packageRefusal } from './refusal.ts';

const MAX_MEMBERS = 128;
/**
 * Maximum length of a name or value in Unicode code points, so that no reader counts a character outside the
 * BMP twice.
 */
const MAX_CHARACTERS = 128;
const VERSION = 'version';

/** Members of a manifest by name. `version` is a string even if the orb wrote a number. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Reads the manifest, a flat JSON object of strings (spec/refresh.md#package-checks, manifest).
 *
 * A `version` that is a number counts as its digits in the text. A package with `2.3` has version 2.3, one
 * with `2.30` or `23e-1` does not: as a number 2.10 would equal 2.1, but those are two versions.
 *
 * @param bytes - `hashes.json` as received; the request parser bounds its size.
 * @throws ServiceError `refresh.package_invalid` for bytes that are not UTF-8, another JSON value, a repeated
 *   name (after unescaping), more than 128 members, a name or value of more than 128 characters
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
