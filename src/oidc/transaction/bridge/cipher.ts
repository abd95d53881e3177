import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fromBase64 } from '../../../bytes.ts';
import { isObject, type JsonObject, parseJson } from '../../../json.ts';
import type { BridgeMessage, Bytes32 } from '../../../storage/index.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a JSON value under a fresh IV as WebCrypto does: the tag follows the ciphertext
 * (spec/sign-in.md#encryption).
 */
export function seal(key: Bytes32, value: unknown): BridgeMessage {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const parts = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()];
  return { iv: iv.toString('base64'), payload: Buffer.concat(parts).toString('base64') };
}

/**
 * Decrypts a message to the JSON object in it.
 *
 * @returns Undefined if it was not sealed under this key, or holds anything but a JSON object.
 */
export function unseal(key: Bytes32, message: BridgeMessage): JsonObject | undefined {
  const iv = fromBase64(message.iv);
  const sealed = fromBase64(message.payload);
  if (iv?.length !== IV_BYTES || !sealed || sealed.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, iv);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plaintext = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    const value = parseJson(plaintext);
    return isObject(value) ? value : undefined;
  } catch {
    // Without the cause: bad input is not an internal error, and the parser's message quotes the plaintext.
    return undefined;
  }
}
