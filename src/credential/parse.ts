import { decodeUtf8, fromBase64, toBase64 } from '../bytes.ts';
import { ServiceError } from '../errors/service-error.ts';
import { writeHex } from '../semaphore/hex.ts';
import { CLAIM_COUNT, parseFieldElement, type SignedFields } from './credential.ts';
import { parseCoordinate } from './public-key.ts';
import { parseStrictJson, type StrictJson, StrictJsonError } from './strict-json.ts';

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
const DIGITS = /^(?:0|[1-9][0-9]{0,19})$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
/** Maximum length of an unknown name in a message. */
const MAX_NAME = 64;

/** Creates a refusal. @param path - The member, such as `issuer.pk[0]`; empty for the whole text. */
export function invalid(path: string, rule: string): ServiceError {
  return path === ''
    ? new ServiceError('credential.invalid', rule)
    : new ServiceError('credential.invalid', `${path}: ${rule}`, { path });
}

/** Returns the name of a member for messages: quoted unless plain, cut if long. */
function nameOf(name: string): string {
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return /^[a-z0-9_]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** Reads a u64 in digits: no sign, fraction, exponent or leading zero, so that each number has exactly one form. */
function readU64(path: string, value: StrictJson): bigint {
  if (value.kind === 'number' && DIGITS.test(value.source)) {
    const number = BigInt(value.source);
    if (number <= MAX_U64) return number;
  }
  throw invalid(path, `expected a whole number from 0 to ${MAX_U64}, in digits`);
}

/** Reads a field element, 32 bytes big-endian (spec/credential.md#field-elements, credential-form). */
function readFieldElement(path: string, value: StrictJson): Uint8Array {
  const word = value.kind === 'string' ? parseFieldElement(value.text) : undefined;
  if (word === undefined)
    throw invalid(path, 'expected 0x and 1 to 64 hex digits, below the order of the field');
  return word;
}

/** Checks that the version is `V1`, the only one. */
function readV1(path: string, value: StrictJson): void {
  if (value.kind !== 'string' || value.text !== 'V1') throw invalid(path, 'expected "V1"');
}

/** Reads 64 bytes from 128 lower-case hex digits. */
function readSignature(path: string, value: StrictJson): Uint8Array {
  const signature = new Uint8Array(64);
  if (
    value.kind === 'string' &&
    SIGNATURE.test(value.text) &&
    writeHex(value.text, 0, value.text.length, signature)
  ) {
    return signature;
  }
  throw invalid(path, 'expected 128 lower-case hex digits');
}

/** Reads a coordinate; also returns its digits. */
function readCoordinate(
  path: string,
  value: StrictJson,
): { readonly text: string; readonly word: Uint8Array } {
  const word = value.kind === 'string' ? parseCoordinate(value.text) : undefined;
  if (value.kind !== 'string' || word === undefined) {
    throw invalid(path, 'expected a decimal text without leading zeros, below the order of the field');
  }
  return { text: value.text, word };
}

/** A well-formed credential with an unchecked signature. */
export interface ParsedCredential {
  /** Sixteen claims, the times as bigint. */
  readonly fields: SignedFields & { readonly genesisIssuedAt: bigint; readonly expiresAt: bigint };
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** `issuer.pk` as written: decimal, no leading zeros. */
  readonly pk: readonly [x: string, y: string];
  /** `issuer.pk` as field elements. */
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

const MEMBERS = [
  'id',
  'version',
  'issuer_schema_id',
  'sub',
  'genesis_issued_at',
  'expires_at',
  'claims',
  'associated_data_hash',
  'signature',
  'issuer',
];
const SPACE = ' \t\r\n';

/**
 * Reads a credential (spec/credential.md#reading-a-credential): its JSON, or base64 of that in the standard alphabet
 * with padding. White space is allowed around either and within the JSON, but not within the base64. Members may be in
 * any order and field elements may be short; unknown, missing and repeated members are refused, so that all readers
 * agree.
 *
 * @throws ServiceError `credential.invalid`; message and `path` contain the member but no value
 */
export function parseCredential(text: string): ParsedCredential {
  const members = membersOf('', readJson(text), MEMBERS);
  readV1('version', members('version'));
  const [x, y] = readKey(members('issuer'));
  return {
    fields: {
      id: readU64('id', members('id')),
      issuerSchemaId: readU64('issuer_schema_id', members('issuer_schema_id')),
      sub: readFieldElement('sub', members('sub')),
      genesisIssuedAt: readU64('genesis_issued_at', members('genesis_issued_at')),
      expiresAt: readU64('expires_at', members('expires_at')),
      claims: readClaims(members('claims')),
      associatedDataHash: readFieldElement('associated_data_hash', members('associated_data_hash')),
    },
    signature: readSignature('signature', members('signature')),
    pk: [x.text, y.text],
    x: x.word,
    y: y.word,
  };
}

function readJson(text: string): StrictJson {
  const trimmed = trim(text);
  const json = trimmed.startsWith('{') ? trimmed : decodeBase64(trimmed);
  try {
    return parseStrictJson(json);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    if (error.member !== undefined) throw invalid(nameOf(error.member), 'the member is repeated');
    throw invalid('', `not JSON: ${error.message}`);
  }
}

/**
 * Drops ASCII white space at both ends, since files end with a newline. Unlike a regular expression, takes linear time.
 */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.includes(text.charAt(start))) start++;
  while (end > start && SPACE.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function decodeBase64(text: string): string {
  const bytes = fromBase64(text);
  // The round trip refuses nonzero trailing bits.
  if (bytes === undefined || bytes.length === 0 || toBase64(bytes) !== text) {
    throw invalid(
      '',
      'expected a JSON object, or base64 of one in one piece, standard alphabet, with padding',
    );
  }
  try {
    return decodeUtf8(bytes);
  } catch {
    throw invalid('', 'expected base64 of UTF-8');
  }
}

/**
 * Returns a reader of the members of an object, which must be exactly `names`.
 *
 * @param path - Path of the object; empty for the credential.
 */
function membersOf(path: string, value: StrictJson, names: readonly string[]): (name: string) => StrictJson {
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (value.kind !== 'object') throw invalid(path, 'expected an object');
  const members = new Map(value.entries);
  const unknown = value.entries.find(([name]) => !names.includes(name));
  if (unknown !== undefined) throw invalid(pathOf(nameOf(unknown[0])), 'the member is unknown');
  return (name) => {
    const member = members.get(name);
    if (member === undefined) throw invalid(pathOf(name), 'the member is missing');
    return member;
  };
}

function readClaims(value: StrictJson): Uint8Array[] {
  if (value.kind !== 'array') throw invalid('claims', 'expected an array');
  if (value.items.length > CLAIM_COUNT) throw invalid('claims', `expected at most ${CLAIM_COUNT} elements`);
  const claims = value.items.map((item, index) => readFieldElement(`claims[${index}]`, item));
  while (claims.length < CLAIM_COUNT) claims.push(new Uint8Array(32));
  if (claims[CLAIM_COUNT - 1]?.some((byte) => byte !== 0)) {
    throw invalid(`claims[${CLAIM_COUNT - 1}]`, 'expected zero, the element is reserved');
  }
  return claims;
}

interface Coordinate {
  readonly text: string;
  readonly word: Uint8Array;
}

function readKey(value: StrictJson): [x: Coordinate, y: Coordinate] {
  const pk = membersOf('issuer', value, ['pk'])('pk');
  const [x, y, ...more] = pk.kind === 'array' ? pk.items : [];
  if (x === undefined || y === undefined || more.length > 0) {
    throw invalid('issuer.pk', 'expected an array of two coordinates');
  }
  return [readCoordinate('issuer.pk[0]', x), readCoordinate('issuer.pk[1]', y)];
}
