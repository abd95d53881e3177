import { ServiceError } from '../errors/index.ts';
import { writeHex } from '../semaphore/hex.ts';
import { parseFieldElement } from './field-element.ts';
import { parseCoordinate } from './public-key.ts';
import type { StrictJson } from './strict-json.ts';

const MAX_U64 = 0xffff_ffff_ffff_ffffn;
const DIGITS = /^(?:0|[1-9][0-9]{0,19})$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
/** Maximum length of an unknown name in a message. */
const MAX_NAME = 64;

/** Creates a refusal. @param path - The member, as in `issuer.pk[0]`; empty for the whole text. */
export function invalid(path: string, rule: string): ServiceError {
  return path === ''
    ? new ServiceError('credential.invalid', rule)
    : new ServiceError('credential.invalid', `${path}: ${rule}`, { path });
}

/** Returns the name of a member for messages: quoted unless plain, cut if long. */
export function nameOf(name: string): string {
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return /^[a-z0-9_]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** Reads a u64 in digits: no sign, fraction, exponent or leading zero, so that each number has one form. */
export function readU64(path: string, value: StrictJson): bigint {
  if (value.kind === 'number' && DIGITS.test(value.source)) {
    const number = BigInt(value.source);
    if (number <= MAX_U64) return number;
  }
  throw invalid(path, `expected a whole number from 0 to ${MAX_U64}, in digits`);
}

/** Reads a field element, 32 bytes big-endian (spec/credential.md#field-elements, credential-form). */
export function readFieldElement(path: string, value: StrictJson): Uint8Array {
  const word = value.kind === 'string' ? parseFieldElement(value.text) : undefined;
  if (word === undefined)
    throw invalid(path, 'expected 0x and 1 to 64 hex digits, below the order of the field');
  return word;
}

/** Checks that the version is `V1`, the only one. */
export function readV1(path: string, value: StrictJson): void {
  if (value.kind !== 'string' || value.text !== 'V1') throw invalid(path, 'expected "V1"');
}

/** Reads 64 bytes from 128 lower-case hex digits. */
export function readSignature(path: string, value: StrictJson): Uint8Array {
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

/** Reads a coordinate; returns its digits, too. */
export function readCoordinate(
  path: string,
  value: StrictJson,
): { readonly text: string; readonly word: Uint8Array } {
  const word = value.kind === 'string' ? parseCoordinate(value.text) : undefined;
  if (value.kind !== 'string' || word === undefined) {
    throw invalid(path, 'expected a decimal text without leading zeros, below the order of the field');
  }
  return { text: value.text, word };
}
