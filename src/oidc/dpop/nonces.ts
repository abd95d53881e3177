import { createHmac, hkdfSync } from 'node:crypto';
import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from '../../apps/index.ts';

/** Nonces for proofs (spec/sign-in.md#nonces-of-proofs, RFC 9449 section 8). */
export interface DpopNonces {
  /** Returns the nonce of the current window. */
  current(): string;
  /** Returns when a valid nonce ends, in milliseconds since the epoch; undefined for any other text. */
  endOf(nonce: string): number | undefined;
}

const INFO = 'proofgate dpop nonce v1';
const WINDOW_MS = 300_000;
const NONCE_BYTES = 16;

/**
 * Creates the nonces: HMACs of the number of a window of 5 minutes, valid in that window and the next. The key is
 * derived from the master key, so that every node accepts the nonces of the others and nothing is stored. Nonces under
 * the former master key are accepted too, for nodes that do not have the new one yet.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createDpopNonces(config: KeyConfig, now: () => number): DpopNonces {
  const previous = previousMasterKeyOf(config);
  const key = derived(masterKeyOf(config));
  const keys = previous === undefined ? [key] : [key, derived(previous)];
  const windowAt = (): number => Math.floor(now() / WINDOW_MS);
  return {
    current: () => nonceOf(key, windowAt()),
    endOf(nonce) {
      const window = windowAt();
      const found = [window, window - 1].find((each) => keys.some((one) => nonceOf(one, each) === nonce));
      return found === undefined ? undefined : (found + 2) * WINDOW_MS;
    },
  };
}

function nonceOf(key: Uint8Array, window: number): string {
  const digest = createHmac('sha256', key).update(String(window)).digest();
  return digest.subarray(0, NONCE_BYTES).toString('base64url');
}

function derived(masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, '', INFO, 32));
}
