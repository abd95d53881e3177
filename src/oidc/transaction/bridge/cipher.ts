import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { BridgeMessage, Bytes32 } from '../../../storage/index.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Encrypts a JSON value under a fresh IV as WebCrypto does: the tag stands behind the ciphertext
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
 * @returns undefined when it was not sealed under this key, or when it holds anything but a JSON object.
 */
export function unseal(key: Bytes32, message: BridgeMessage): Readonly<Record<string, unknown>> | undefined {
  const iv = fromBase64(message.iv);
  const sealed = fromBase64(message.payload);
  if (iv?.length !== IV_BYTES || !sealed || sealed.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, iv);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plaintext = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    const value: unknown = JSON.parse(decoder.decode(plaintext));
    return isObject(value) ? value : undefined;
  } catch {
    // What a stranger sealed is no fault of ours, and the parser quotes what it read.
    return undefined;
  }
}

function fromBase64(text: string): Buffer | undefined {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
