import { calculateJwkThumbprint, type JWK } from 'jose';
import { createByteSealer } from '../../apps/index.ts';
import { encodeUtf8 } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import { parseJson } from '../../json.ts';
import type { SigningKeyRow } from '../../storage/index.ts';

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
 * @param masterKey - 32 bytes; seals, and opens what it sealed.
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

// A row whose private part belongs to another kid would sign tokens that nobody can verify.
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
