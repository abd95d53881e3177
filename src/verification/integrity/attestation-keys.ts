import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AttestationConfig } from '../../config/settings/types.ts';
import { isObject, parseJson, textOfFile } from '../../json.ts';
import { callOut } from '../../outgoing.ts';
import { integrityRefusal } from './integrity-bundle.ts';

/** Reads an EC public key on P-256 from a JWK (RFC 7518 section 6.2); undefined for any other value. */
export function p256Key(jwk: unknown): KeyObject | undefined {
  if (!isObject(jwk)) return undefined;
  const { kty, crv, x, y } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') return undefined;
  try {
    // refuses a point that is not on the curve
    return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Keys that may sign device attestations, by `kid`. */
export type KeySet = ReadonlyMap<string, KeyObject>;

const TIMEOUT_MS = 4000;
const MAX_BYTES = 65_536;

/**
 * Reads the keys of an issuer from its file or its address. Keys that are not for ES256, or not for signatures, are left out.
 *
 * @throws Error if they cannot be read, or are not a JSON Web Key Set of at most 64 KiB
 */
export async function loadKeySet({ jwksFile, jwksUrl }: AttestationConfig): Promise<KeySet> {
  const bytes =
    jwksFile === undefined ? await download(jwksUrl) : Buffer.from(textOfFile(await readFile(jwksFile)));
  if (bytes === undefined || bytes.length > MAX_BYTES) {
    throw new Error(`the key set of the attestation issuer is larger than ${MAX_BYTES} bytes`);
  }
  return parseKeySet(bytes);
}

async function download(url: string): Promise<Uint8Array | undefined> {
  const { status, isOk, bytes } = await callOut({
    url,
    reach: 'any',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    headers: { accept: 'application/jwk-set+json, application/json' },
  });
  if (!isOk) throw new Error(`the attestation issuer answered with status ${status}`);
  return bytes;
}

function parseKeySet(bytes: Uint8Array): KeySet {
  const value = parseJson(bytes);
  const keys: unknown = isObject(value) ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new Error('the attestation issuer sent no JSON Web Key Set');
  const set = new Map<string, KeyObject>();
  for (const jwk of keys) {
    const key = p256Key(jwk);
    const { kid, alg = 'ES256', use = 'sig', key_ops: operations = ['verify'] } = isObject(jwk) ? jwk : {};
    const isForSignatures = use === 'sig' && Array.isArray(operations) && operations.includes('verify');
    if (key !== undefined && typeof kid === 'string' && alg === 'ES256' && isForSignatures) set.set(kid, key);
  }
  return set;
}

/** The cached keys of the issuer of device attestations. */
export interface AttestationKeys {
  /**
   * Returns keys that are at most a day old.
   *
   * @throws ServiceError `verify.integrity_failed`
   */
  current(): Promise<KeySet>;
  /**
   * Returns newer keys than those under which a token failed, which the issuer may have replaced; undefined if they were
   * read less than a minute ago.
   *
   * @throws ServiceError `verify.integrity_failed`
   */
  newerThan(failed: KeySet): Promise<KeySet | undefined>;
}

const MAX_AGE_MS = 24 * 3600 * 1000;
/** Pauses between two readings, so that tokens with made-up keys do not cause one each. */
const MIN_READ_INTERVAL_MS = 60_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;

/**
 * Creates the cache. Several callers share one reading.
 *
 * @param load - Reads the keys anew.
 * @param onUnreadable - Receives the error of each reading that failed.
 * @param now - Milliseconds since the epoch.
 */
export function createAttestationKeys(
  load: () => Promise<KeySet>,
  now: () => number,
  onUnreadable: (cause: unknown) => void,
): AttestationKeys {
  let loaded: { readonly keys: KeySet; readonly at: number } | undefined;
  let failure: { readonly cause: unknown; readonly at: number } | undefined;
  let reading: Promise<KeySet> | undefined;

  // A clock that was set back makes nothing last longer.
  const isWithin = (at: number, milliseconds: number): boolean => now() >= at && now() - at < milliseconds;

  async function read(): Promise<KeySet> {
    const at = now();
    try {
      const keys = await load();
      loaded = { keys, at };
      failure = undefined;
      return keys;
    } catch (cause) {
      failure = { cause, at };
      onUnreadable(cause);
      throw integrityRefusal('keys_unavailable', cause);
    } finally {
      reading = undefined;
    }
  }

  async function readShared(): Promise<KeySet> {
    if (failure !== undefined && isWithin(failure.at, PAUSE_AFTER_FAILURE_MS)) {
      throw integrityRefusal('keys_unavailable', failure.cause);
    }
    reading ??= read();
    return reading;
  }

  return {
    async current() {
      return loaded !== undefined && isWithin(loaded.at, MAX_AGE_MS) ? loaded.keys : readShared();
    },
    async newerThan(failed) {
      if (loaded !== undefined && loaded.keys !== failed) return loaded.keys;
      return loaded !== undefined && isWithin(loaded.at, MIN_READ_INTERVAL_MS) ? undefined : readShared();
    },
  };
}
