import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AttestationConfig } from '../../config/settings/types.ts';
import { isObject, parseJson } from '../../json.ts';
import { callOut } from '../../outgoing.ts';
import { p256Key } from './p256-key.ts';

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
  const bytes = jwksFile === undefined ? await download(jwksUrl) : await readFile(jwksFile);
  if (bytes === undefined || bytes.length > MAX_BYTES) {
    throw new Error(`the key set of the attestation issuer is larger than ${MAX_BYTES} bytes`);
  }
  return parseKeySet(bytes);
}

async function download(url: string): Promise<Uint8Array | undefined> {
  const { status, isOk, bytes } = await callOut({
    ...{ url, reach: 'any', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
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
