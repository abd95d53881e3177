/** AES-256-GCM as wallets and apps use it on the bridge (spec/sign-in.md#wallet-bridge), without code of the product. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A message of the bridge. */
export interface SealedMessage {
  readonly iv: string;
  readonly payload: string;
}

/** Encrypts a JSON value in the layout of WebCrypto: the tag follows the ciphertext. */
export function seal(key: Uint8Array, value: unknown): SealedMessage {
  return sealText(key, JSON.stringify(value));
}

/** Encrypts a text, or bytes, as `seal` does; it need not be JSON. */
export function sealText(key: Uint8Array, text: string | Uint8Array): SealedMessage {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const parts = [cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return { iv: iv.toString('base64'), payload: Buffer.concat(parts).toString('base64') };
}

/** Decrypts a message to its JSON value. Throws if the key is another. */
export function unseal(key: Uint8Array, message: SealedMessage): unknown {
  return JSON.parse(unsealText(key, message));
}

/** Decrypts a message to its text. Throws if the key is another. */
export function unsealText(key: Uint8Array, { iv, payload }: SealedMessage): string {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString();
}
