import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fromBase64 } from '../../bytes.ts';
import { WORLD_APP_URL } from '../../config/settings/signin-settings.ts';
import type { Config } from '../../config/settings/types.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { writeHex } from '../../semaphore/hex.ts';
import { decodeWord, isBelowScalarOrder } from '../../semaphore/words.ts';
import type { BridgeMessage, Bytes32 } from '../../storage/values.ts';

/**
 * Address at which World App and simulators expect requests of staging clients (spec/sign-in.md#connect-url).
 */
const WORLD_APP_STAGING_URL = 'https://staging.world.org/verify';
/** The bridge that a wallet uses if the link contains none. */
const IMPLIED_BRIDGE = 'https://bridge.worldcoin.org';

/** Content of a connect URL. */
export interface ConnectRequest {
  readonly bridgeId: string;
  readonly aesKey: Bytes32;
  readonly bridgeUrl: string;
  readonly isStaging: boolean;
  /** Address to which a wallet on the same device returns. */
  readonly returnTo?: string | undefined;
}

/** Returns the URL for the QR code, at the configured wallet. */
export function connectUrl(
  wallet: Pick<Config['wallet'], 'url' | 'urlStyle'>,
  request: ConnectRequest,
): string {
  if (wallet.url === WORLD_APP_URL && wallet.urlStyle === 'query') return worldAppUrl(request);
  return `${wallet.url}${wallet.urlStyle === 'query' ? '?' : '#'}${members(request)}`;
}

/** Returns the URL for the QR code in the format of World App, for any configured wallet. */
export function worldAppUrl(request: ConnectRequest): string {
  return `${request.isStaging ? WORLD_APP_STAGING_URL : WORLD_APP_URL}?${members(request)}`;
}

function members({ bridgeId, aesKey, bridgeUrl, returnTo }: ConnectRequest): string {
  const key = encodeURIComponent(Buffer.from(aesKey).toString('base64'));
  const bridge = bridgeUrl === IMPLIED_BRIDGE ? '' : `&b=${encodeURIComponent(bridgeUrl)}`;
  const back = returnTo === undefined ? '' : `&return_to=${encodeURIComponent(returnTo)}`;
  return `t=wld&i=${encodeURIComponent(bridgeId)}&k=${key}${back}${bridge}`;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a JSON value under a fresh IV in the format of WebCrypto: ciphertext ‖ tag (spec/sign-in.md#encryption). */
export function seal(key: Bytes32, value: unknown): BridgeMessage {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const parts = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()];
  return { iv: iv.toString('base64'), payload: Buffer.concat(parts).toString('base64') };
}

/**
 * Decrypts a message to the JSON object in it.
 *
 * @returns Undefined if it was not sealed under this key, or its content is not a JSON object.
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

/** A proof as bytes; the engine checks its points. */
export interface SigninProof {
  /** 256 bytes, eight words in EIP-197 order. */
  readonly proof: Uint8Array;
  /** 32 bytes, big-endian, below r. */
  readonly root: Bytes32;
  /** 32 bytes, big-endian, below r. */
  readonly nullifier: Bytes32;
}

const PROOF = /^0x[0-9a-fA-F]{512}$/;
const WORD = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * Reads `proof`, `merkle_root` and `nullifier_hash` of a wallet's answer (spec/sign-in.md#wallet-answer); other
 * members, including a claimed level, are ignored.
 *
 * @returns Undefined for any other form, or if the root or nullifier is not below r.
 */
export function parseSigninProof(answer: Readonly<Record<string, unknown>>): SigninProof | undefined {
  const { proof, merkle_root, nullifier_hash } = answer;
  if (typeof proof !== 'string' || !PROOF.test(proof)) return undefined;
  const root = wordBelowOrder(merkle_root);
  const nullifier = wordBelowOrder(nullifier_hash);
  if (!root || !nullifier) return undefined;
  const bytes = new Uint8Array(256);
  writeHex(proof, 2, proof.length, bytes);
  return { proof: bytes, root, nullifier };
}

function wordBelowOrder(text: unknown): Bytes32 | undefined {
  if (typeof text !== 'string' || !WORD.test(text)) return undefined;
  const word = decodeWord(text);
  return word && isBelowScalarOrder(word) ? word : undefined;
}
