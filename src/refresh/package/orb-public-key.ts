import { createPublicKey, type KeyObject } from 'node:crypto';

/** Reading a PEM takes a fifth of the time of a verification, on the main thread; there are some thousand orbs. */
const MAX_KEPT = 4096;
const kept = new Map<string, KeyObject>();

/**
 * The public key of a PEM text, undefined for anything but a key on secp256k1. Remembers what it read: a key is a
 * function of its text alone.
 */
export function orbPublicKey(pem: string): KeyObject | undefined {
  const known = kept.get(pem);
  if (known !== undefined) return known;
  const key = readKey(pem);
  if (key === undefined) return undefined;
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(pem, key);
  return key;
}

function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'secp256k1' ? key : undefined;
  } catch {
    return undefined;
  }
}
