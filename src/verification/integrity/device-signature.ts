import { createHash, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { writeHex } from '../../semaphore/hex.ts';
import { type IntegrityBundle, integrityRefusal } from './integrity-bundle.ts';

/** An assertion of Apple's App Attest. */
export interface Assertion {
  /** ASN.1 DER. */
  readonly signature: Uint8Array;
  readonly authenticatorData: Uint8Array;
}

/** Initial byte of a map of two entries (RFC 8949 section 3). */
const MAP_OF_TWO = 0xa2;
const BYTE_STRING = 2;
const TEXT_STRING = 3;
/** Additional information: lengths below it are themselves, it and the next stand for a length of one or two bytes. */
const ONE_BYTE = 24;
const TWO_BYTES = 25;

/**
 * Parses the CBOR (RFC 8949) of an assertion: a map of the texts `signature` and `authenticatorData` to byte strings that
 * are not empty, in either order. Lengths are definite and of at most two bytes.
 *
 * @returns Undefined for any other bytes.
 */
export function parseAssertion(bytes: Uint8Array): Assertion | undefined {
  if (bytes[0] !== MAP_OF_TWO) return undefined;
  const strings: Uint8Array[] = [];
  let at = 1;
  for (const type of [TEXT_STRING, BYTE_STRING, TEXT_STRING, BYTE_STRING]) {
    const string = readString(bytes, at, type);
    if (string === undefined) return undefined;
    strings.push(string.content);
    at = string.end;
  }
  if (at !== bytes.length) return undefined;
  const [firstName, first, secondName, second] = strings;
  const entries = new Map([
    [nameOf(firstName), first],
    [nameOf(secondName), second],
  ]);
  const signature = entries.get('signature');
  const authenticatorData = entries.get('authenticatorData');
  if (!signature?.length || !authenticatorData?.length) return undefined;
  return { signature, authenticatorData };
}

function readString(
  bytes: Uint8Array,
  at: number,
  type: number,
): { content: Uint8Array; end: number } | undefined {
  const initial = bytes[at] ?? 0;
  if (initial >> 5 !== type) return undefined;
  const information = initial & 0x1f;
  const lengthBytes = information === ONE_BYTE ? 1 : information === TWO_BYTES ? 2 : 0;
  if (information > TWO_BYTES) return undefined;
  const start = at + 1 + lengthBytes;
  const length = lengthBytes === 0 ? information : bigEndian(bytes.subarray(at + 1, start));
  const end = start + length;
  return end > bytes.length ? undefined : { content: bytes.subarray(start, end), end };
}

function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function nameOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1');
}

/** A signature by a device: ECDSA over P-256 and SHA-256 of a message. */
export interface DeviceSignature {
  /** ASN.1 DER. */
  readonly signature: Uint8Array;
  /** Returns the signed message, from the bytes that the device attests to. */
  readonly messageOf: (attested: Uint8Array) => Uint8Array;
}

const verifySignature = promisify(verify);

/**
 * Reads the signature of a bundle (spec/worldid4.md#integrity-bundle).
 *
 * Android signs the attested bytes. Apple signs SHA-256(authenticator data ‖ SHA-256(attested bytes)). In both cases the
 * signed digest is the SHA-256 of bytes that are known here; `node:crypto` gets these bytes, since it hashes its input
 * itself.
 *
 * @throws ServiceError `verify.integrity_failed` if the signature is not in its format
 */
export function readSignature(
  bundle: Pick<IntegrityBundle, 'signature_format' | 'signature'>,
): DeviceSignature {
  const bytes = new Uint8Array(bundle.signature.length / 2);
  if (!writeHex(bundle.signature, 0, bundle.signature.length, bytes))
    throw integrityRefusal('signature_form');
  if (bundle.signature_format === 'android_keystore') {
    return { signature: bytes, messageOf: (attested) => attested };
  }
  const assertion = parseAssertion(bytes);
  if (assertion === undefined) throw integrityRefusal('signature_form');
  const { signature, authenticatorData } = assertion;
  return { signature, messageOf: (attested) => sha256(authenticatorData, sha256(attested)) };
}

/** Whether a device key signed the attested bytes. The high half of s is accepted: devices do not normalise it. */
export function isSignedBy(
  key: KeyObject,
  { signature, messageOf }: DeviceSignature,
  attested: Uint8Array,
): Promise<boolean> {
  return verifySignature('sha256', messageOf(attested), { key, dsaEncoding: 'der' }, signature);
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
