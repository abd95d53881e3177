import { encodeUtf8, fromBase64, toBase64 } from '../../../bytes.ts';
import { parseJson } from '../../../json.ts';
import { WalletError } from './wallet-error.ts';

/** A message as the bridge stores it: both members in standard base64 with padding. */
export interface SealedMessage {
  readonly iv: string;
  readonly payload: string;
}

const IV_BYTES = 12;

/**
 * Encrypts a JSON value with AES-256-GCM under a fresh IV (spec/sign-in.md#encryption); the tag follows the
 * ciphertext.
 *
 * @param key - 32 bytes.
 */
export async function seal(key: Uint8Array<ArrayBuffer>, value: unknown): Promise<SealedMessage> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plaintext = encodeUtf8(JSON.stringify(value));
  const cipher = { name: 'AES-GCM', iv };
  const payload = await crypto.subtle.encrypt(cipher, await importKey(key, 'encrypt'), plaintext);
  return { iv: toBase64(iv), payload: toBase64(new Uint8Array(payload)) };
}

/**
 * Decrypts a message and parses its JSON value.
 *
 * @throws WalletError `key` if it was not sealed under this key or is not JSON.
 */
export async function unseal(key: Uint8Array<ArrayBuffer>, message: SealedMessage): Promise<unknown> {
  const iv = fromBase64(message.iv);
  const payload = fromBase64(message.payload);
  if (iv?.length !== IV_BYTES || !payload) throw unreadable();
  try {
    const cipher = { name: 'AES-GCM', iv };
    const plaintext = await crypto.subtle.decrypt(cipher, await importKey(key, 'decrypt'), payload);
    return parseJson(plaintext);
  } catch (cause) {
    throw unreadable(cause);
  }
}

async function importKey(key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use]);
}

function unreadable(cause?: unknown): WalletError {
  const text = 'The request could not be decrypted: the key in the link is not the key it was made with.';
  return new WalletError('key', text, { cause });
}
