import { decodeUtf8 } from '../../bytes.ts';
import { parseFieldElement } from '../../credential/credential.ts';
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/strict-json.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { writeHex } from '../../semaphore/hex.ts';
import type { Bytes32 } from '../../storage/values.ts';

/** Decoded header `x-zkp-proof`. Its statement is not checked yet. */
export interface HolderProof {
  /** 256 bytes, eight words in EIP-197 order (spec/credential.md#authentication-proof). */
  readonly proof: Uint8Array;
  /** A public input, below the scalar order r like the next two. */
  readonly nullifierHash: Bytes32;
  readonly idCommitment: Bytes32;
  readonly sub: Bytes32;
  /** Pre-image of the external nullifier, at most 128 bytes. */
  readonly externalNullifier: Uint8Array;
}

/** Members of the header, with their names in the log. */
const MEMBERS = {
  proof: 'proof',
  nullifierHash: 'nullifier_hash',
  externalNullifier: 'external_nullifier',
  idCommitment: 'id_commitment',
  sub: 'sub',
} as const;
type MemberName = keyof typeof MEMBERS;

const MAX_HEADER_CHARACTERS = 3072;
const PROOF_BYTES = 256;
const MAX_PRE_IMAGE_BYTES = 128;
const PREFIX = '0x';

/**
 * Decodes the header of a holder proof (spec/refresh.md#proof-header).
 *
 * Four base64 encodings are accepted: the standard or the URL-safe alphabet, with full padding or without. Mixed
 * alphabets, partial padding, nonzero bits after the last byte and white space are refused, since two readers could
 * decode them differently; likewise JSON with a repeated name.
 *
 * @param header - Undefined if it is missing or was sent more than once.
 * @throws ServiceError `refresh.proof_unreadable`; the rule names the malformed member, and no message contains a value
 */
export function decodeProofHeader(header: string | undefined): HolderProof {
  if (header === undefined) throw unreadable('header', 'expected the header x-zkp-proof once');
  const members = readMembers(decodeText(header));
  const text = (name: MemberName): string => {
    const value = members.get(name);
    if (value?.kind === 'string') return value.text;
    throw unreadable(MEMBERS[name], `x-zkp-proof: ${name}: expected a text`);
  };
  const read = <T>(name: MemberName, parse: (text: string) => T | undefined, form: string): T => {
    const value = parse(text(name));
    if (value !== undefined) return value;
    throw unreadable(MEMBERS[name], `x-zkp-proof: ${name}: expected ${form}`);
  };
  const fieldElement = (name: MemberName): Bytes32 =>
    read(name, parseFieldElement, '0x and 1 to 64 hex digits of a number below the scalar order r');
  return {
    proof: read('proof', parseProof, '0x and 512 hex digits'),
    nullifierHash: fieldElement('nullifierHash'),
    externalNullifier: read(
      'externalNullifier',
      parsePreImage,
      `0x and the hex digits of whole bytes, or text that does not begin with 0x, at most ${MAX_PRE_IMAGE_BYTES} bytes`,
    ),
    idCommitment: fieldElement('idCommitment'),
    sub: fieldElement('sub'),
  };
}

function unreadable(rule: string, message: string): ServiceError {
  return new ServiceError('refresh.proof_unreadable', message, { check: 7, rule });
}

function decodeText(header: string): string {
  if (header.length > MAX_HEADER_CHARACTERS) {
    throw unreadable(
      'length',
      `x-zkp-proof: expected at most ${MAX_HEADER_CHARACTERS} characters, got ${header.length}`,
    );
  }
  const bytes = Buffer.from(header, 'base64');
  const encodings = (['base64', 'base64url'] as const).map((alphabet) => unpadded(bytes.toString(alphabet)));
  const padding = '='.repeat(-(encodings[0] ?? '').length & 3);
  if (!encodings.some((encoding) => header === encoding || header === encoding + padding)) {
    throw unreadable('base64', 'x-zkp-proof: expected base64 in one of its alphabets');
  }
  try {
    return decodeUtf8(bytes);
  } catch {
    throw unreadable('utf8', 'x-zkp-proof: expected base64 of UTF-8');
  }
}

function unpadded(base64: string): string {
  const end = base64.indexOf('=');
  return end < 0 ? base64 : base64.slice(0, end);
}

function readMembers(text: string): ReadonlyMap<string, StrictJson> {
  let json: StrictJson;
  try {
    json = parseStrictJson(text);
  } catch (fault) {
    if (!(fault instanceof StrictJsonError)) throw fault;
    throw unreadable('json', `x-zkp-proof: not base64 of a JSON object: ${fault.message}`);
  }
  if (json.kind !== 'object') throw unreadable('json', 'x-zkp-proof: expected base64 of a JSON object');
  return new Map(json.entries);
}

function parseProof(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX) || text.length !== PREFIX.length + 2 * PROOF_BYTES) return undefined;
  const proof = new Uint8Array(PROOF_BYTES);
  return writeHex(text, PREFIX.length, text.length, proof) ? proof : undefined;
}

/** Parses a pre-image; `0x` and the empty text both mean the empty pre-image. */
function parsePreImage(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX)) {
    const bytes = Buffer.from(text, 'utf8');
    return bytes.length <= MAX_PRE_IMAGE_BYTES ? bytes : undefined;
  }
  const digits = text.length - PREFIX.length;
  if (digits === 0) return new Uint8Array(0);
  if (digits % 2 !== 0 || digits > 2 * MAX_PRE_IMAGE_BYTES) return undefined;
  const bytes = new Uint8Array(digits / 2);
  return writeHex(text, PREFIX.length, text.length, bytes) ? bytes : undefined;
}
