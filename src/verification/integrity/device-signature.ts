import { createHash, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { writeHex } from '../../semaphore/hex.ts';
import type { IntegrityBundle } from './integrity-bundle.ts';
import { integrityRefusal } from './integrity-refusal.ts';
import { parseAssertion } from './parse-assertion.ts';

/** What a device signed: an ECDSA signature over P-256 and SHA-256 of a message. */
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
 * signed digest is the SHA-256 of bytes that are known here, so that `node:crypto`, which hashes what it verifies, is
 * given those.
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
