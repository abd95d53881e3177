import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeUtf8 } from '../bytes.ts';
import { toHex, writeHex } from './hex.ts';

const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})+$/;

/** Returns Keccak-256 (not SHA3-256) shifted right by 8 bits to fit the scalar field: 32 bytes, the first 0. */
export function hashToField(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(32);
  word.set(keccak_256(bytes).subarray(0, 31), 1);
  return word;
}

/**
 * Returns the `signal_hash` of bytes, of text that is `0x` and whole hex bytes (decoded), or of other text (as UTF-8).
 */
export function hashSignal(signal: string | Uint8Array): Uint8Array {
  if (typeof signal !== 'string') return hashToField(signal);
  if (!HEX_BYTES.test(signal)) return hashToField(encodeUtf8(signal));
  const bytes = new Uint8Array(signal.length / 2 - 1);
  writeHex(signal, 2, signal.length, bytes);
  return hashToField(bytes);
}

/**
 * Returns the external nullifier of an app and an action, the fourth public input of a proof. The action is encoded as
 * UTF-8, neither hashed nor hex-decoded; without an action, only the app is used.
 */
export function externalNullifier(appId: string, action?: string): Uint8Array {
  const app = hashToField(encodeUtf8(appId));
  if (action === undefined) return hashToField(app);
  const text = encodeUtf8(action);
  const bytes = new Uint8Array(32 + text.length);
  bytes.set(app);
  bytes.set(text, 32);
  return hashToField(bytes);
}

/** Returns the relying party id of an app id: `rp_` and 16 hex digits. */
export function rpIdOf(appId: string): string {
  return `rp_${toHex(keccak_256(encodeUtf8(appId)).subarray(0, 8)).slice(2)}`;
}

/**
 * Poseidon of circomlib over one or two scalar field elements; from the engine, or from the WASM module in the
 * browser.
 *
 * @param inputs - 32 or 64 bytes: elements of 32 bytes, big-endian, each below r.
 * @returns 32 bytes, big-endian.
 */
export type Poseidon = (inputs: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Concatenates two elements as the input of `Poseidon`. */
export function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const inputs = new Uint8Array(64);
  inputs.set(left);
  inputs.set(right, 32);
  return inputs;
}
