import { CompactEncrypt, calculateJwkThumbprint, compactDecrypt, type JWK } from 'jose';
import { ServiceError } from '../../errors/index.ts';
import type { SigningKeyRow } from '../../storage/index.ts';

/** A private key that was opened. */
export interface OpenedKey {
  readonly jwk: JWK;
  /** False for one that is unsealed or sealed under the former master key. */
  readonly isSealedNow: boolean;
}

/** Seals private keys for the store and opens them. */
export interface Sealer {
  /** The private key as a compact JWE (`dir`, `A256GCM`). */
  seal(jwk: JWK): Promise<string>;
  /** @throws ServiceError `signing_key.cannot_open` */
  open(row: Pick<SigningKeyRow, 'kid' | 'privateJwk' | 'isSealed'>): Promise<OpenedKey>;
}

const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;
const DECRYPTION = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };

/**
 * Makes a sealer (signin.md section 11).
 *
 * @param masterKey - 32 bytes; seals, and opens what it sealed.
 * @param previous - The former master key; opens only.
 */
export function createSealer(masterKey: Uint8Array, previous?: Uint8Array): Sealer {
  return {
    seal: (jwk) =>
      new CompactEncrypt(new TextEncoder().encode(JSON.stringify(jwk)))
        .setProtectedHeader(HEADER)
        .encrypt(masterKey),
    async open({ kid, privateJwk, isSealed }) {
      if (!isSealed) return { jwk: await checked(kid, privateJwk), isSealedNow: false };
      const current = await decrypt(privateJwk, masterKey);
      if (current !== undefined) return { jwk: await checked(kid, current), isSealedNow: true };
      const former = previous === undefined ? undefined : await decrypt(privateJwk, previous);
      if (former !== undefined) return { jwk: await checked(kid, former), isSealedNow: false };
      throw cannotOpen(kid, 'it is sealed under another master key');
    },
  };
}

async function decrypt(sealed: string, key: Uint8Array): Promise<string | undefined> {
  try {
    const { plaintext } = await compactDecrypt(sealed, key, DECRYPTION);
    return new TextDecoder().decode(plaintext);
  } catch {
    // the error of the library says no more than that this key does not open it
    return undefined;
  }
}

// A row whose private part is that of another kid would sign what nobody can verify.
async function checked(kid: string, text: string): Promise<JWK> {
  let jwk: JWK;
  let thumbprint: string;
  try {
    jwk = JSON.parse(text) as JWK;
    thumbprint = await calculateJwkThumbprint(jwk);
  } catch {
    throw cannotOpen(kid, 'what is stored is not a JWK');
  }
  if (thumbprint !== kid || jwk.d === undefined) throw cannotOpen(kid, 'what is stored is another key');
  return jwk;
}

function cannotOpen(kid: string, reason: string): ServiceError {
  return new ServiceError('signing_key.cannot_open', `signing key ${kid}: ${reason}`);
}
