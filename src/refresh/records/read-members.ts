import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/index.ts';
import { LineRefused } from './line-refused.ts';

/**
 * The limit of the value parts of a custody package (spec/refresh.md#form-parts), which are compared with
 * these texts.
 */
const TEXT_LIMIT_BYTES = 256;
const CONTROL_CHARACTER = /\p{Cc}/u;
const NAME_SHOWN_CHARACTERS = 64;

/** Members of a line by name. */
export type Members = ReadonlyMap<string, StrictJson>;

/**
 * Reads a line that is one JSON object.
 *
 * @param line - Text decoded from UTF-8, in which U+FFFD replaces invalid bytes.
 * @throws LineRefused `not_json` (also for a repeated name, and for a value that is not an object),
 *   `unknown_member`, `missing_member`
 */
export function readMembers(
  line: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Members {
  if (line.includes('\uFFFD')) throw new LineRefused('not_json', 'expected UTF-8');
  const value = parse(line);
  if (value.kind !== 'object') {
    throw new LineRefused('not_json', `expected a JSON object, got ${value.kind}`);
  }
  const members = new Map(value.entries);
  for (const name of members.keys()) {
    if (!required.includes(name) && !optional.includes(name)) {
      const known = [...required, ...optional].join(', ');
      const shown = JSON.stringify(name.slice(0, NAME_SHOWN_CHARACTERS));
      throw new LineRefused('unknown_member', `${shown}, expected ${known}`);
    }
  }
  const missing = required.filter((name) => !members.has(name));
  if (missing.length > 0) throw new LineRefused('missing_member', missing.join(', '));
  return members;
}

/**
 * Returns a member that is an opaque text.
 *
 * @throws LineRefused `invalid_text`
 */
export function textMember(members: Members, name: string): string {
  const value = members.get(name);
  if (value?.kind !== 'string' || !isRecordText(value.text)) {
    throw new LineRefused(
      'invalid_text',
      `${name}: expected a text of 1 to ${TEXT_LIMIT_BYTES} bytes without control characters`,
    );
  }
  return value.text;
}

function isRecordText(text: string): boolean {
  return text !== '' && Buffer.byteLength(text, 'utf8') <= TEXT_LIMIT_BYTES && !CONTROL_CHARACTER.test(text);
}

function parse(line: string): StrictJson {
  try {
    return parseStrictJson(line);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new LineRefused('not_json', error.message);
    throw error;
  }
}
