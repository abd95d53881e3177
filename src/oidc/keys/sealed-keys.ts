import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { createByteSealer } from '../../apps/secrets/master-key.ts';
import { encodeUtf8 } from '../../bytes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { parseJson } from '../../json.ts';
import type { SigningKeyRow } from '../../storage/signin/signing-keys.ts';

/** An opened private key. */
export interface OpenedKey {
  readonly jwk: JWK;
  /** Whether it is sealed under the present master key; false if unsealed or sealed under the former one. */
  readonly isUnderCurrentKey: boolean;
}

/** Seals private keys for the store and opens them. */
export interface Sealer {
  /** Returns the private key as a compact JWE (`dir`, `A256GCM`). */
  seal(jwk: JWK): Promise<string>;
  /** @throws ServiceError `signing_key.cannot_open` */
  open(row: Pick<SigningKeyRow, 'kid' | 'privateJwk' | 'isSealed'>): Promise<OpenedKey>;
}

/**
 * Creates a sealer (spec/sign-in.md#key-sealing).
 *
 * @param masterKey - 32 bytes; seals and opens.
 * @param previous - The former master key; opens only.
 */
export function createSealer(masterKey: Uint8Array, previous?: Uint8Array): Sealer {
  const bytes = createByteSealer(masterKey, previous);
  return {
    seal: (jwk) => bytes.seal(encodeUtf8(JSON.stringify(jwk))),
    async open({ kid, privateJwk, isSealed }) {
      if (!isSealed) return { jwk: await checked(kid, encodeUtf8(privateJwk)), isUnderCurrentKey: false };
      const opened = await bytes.open(privateJwk);
      if (opened === undefined) throw cannotOpen(kid, 'it is sealed under another master key');
      return { jwk: await checked(kid, opened.bytes), isUnderCurrentKey: opened.isUnderCurrentKey };
    },
  };
}

// A private part of another kid would sign tokens that nobody can verify.
async function checked(kid: string, bytes: Uint8Array): Promise<JWK> {
  let jwk: JWK;
  let thumbprint: string;
  try {
    jwk = parseJson(bytes) as JWK;
    thumbprint = await calculateJwkThumbprint(jwk);
  } catch {
    throw cannotOpen(kid, 'the stored private part is not a JWK');
  }
  if (thumbprint !== kid || jwk.d === undefined)
    throw cannotOpen(kid, 'the stored private part is of another key');
  return jwk;
}

function cannotOpen(kid: string, reason: string): ServiceError {
  return new ServiceError('signing_key.cannot_open', `signing key ${kid}: ${reason}`);
}

/** The only algorithm of tokens (spec/sign-in.md#tokens). */
export const ALGORITHM = 'RS256';

const MODULUS_BITS = 2048;

/** Dependencies of `generateKey`. */
export interface NewKeyParts {
  readonly sealer: Sealer;
  /** Whether the profile is not production; production refuses such a key. */
  readonly isDevelopment: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Generates an RSA key of sign-in in state `next`, whose kid is the RFC 7638 thumbprint and whose private
 * part is sealed. The search for primes runs in the thread pool of Node, not on the event loop.
 */
export async function generateKey(parts: NewKeyParts): Promise<SigningKeyRow> {
  const key = await drawKey(parts);
  // One of 64 kids begins with a hyphen, which `keys remove` would take for an option: discard it and generate another
  // key.
  return key.kid.startsWith('-') ? generateKey(parts) : key;
}

async function drawKey({ sealer, isDevelopment, now }: NewKeyParts): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
  const { kty, n, e } = await exportJWK(pair.publicKey);
  if (kty === undefined || n === undefined || e === undefined) throw new TypeError('not an RSA key');
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return {
    kid,
    use: 'signin',
    state: 'next',
    publicJwk: JSON.stringify({ kty, use: 'sig', alg: ALGORITHM, kid, n, e }),
    privateJwk: await sealer.seal(await exportJWK(pair.privateKey)),
    isSealed: true,
    isDevelopment,
    createdAt: now(),
    activatedAt: null,
    retiredAt: null,
    expiresAt: null,
  };
}

/** Result of opening the published keys, as at a start. */
export interface OpenedKeys {
  /** One for each active or next key that cannot be opened. */
  readonly faults: readonly ServiceError[];
  /** Number of keys that only the former master key opens. */
  readonly former: number;
}

/**
 * Tries to open published keys. A retired key that cannot be opened is not a fault, since only its public
 * half is needed.
 *
 * @param open - Opens a row, or throws ServiceError `signing_key.cannot_open`.
 */
export async function tryOpenKeys(
  rows: readonly SigningKeyRow[],
  open: (row: SigningKeyRow) => Promise<Pick<OpenedKey, 'isUnderCurrentKey'>>,
): Promise<OpenedKeys> {
  const faults: ServiceError[] = [];
  let former = 0;
  for (const row of rows) {
    try {
      const { isUnderCurrentKey } = await open(row);
      if (row.isSealed && !isUnderCurrentKey) former++;
    } catch (error) {
      if (!isServiceError(error, 'signing_key.cannot_open')) throw error;
      if (row.state !== 'retired') faults.push(error);
    }
  }
  return { faults, former };
}
