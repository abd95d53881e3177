import { hkdfSync } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type KeyConfig, masterKeyOf } from '../../apps/secrets/master-key.ts';
import { withChecksum } from '../../config/roots/read-sources.ts';
import { SIGNIN_SIGNING_KEY } from '../../config/settings/rp-settings.ts';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Time for which OPRF nodes accept a request after it was signed, in seconds. */
export const NODES_ACCEPT_SECONDS = 300;

/** What the signature of a relying party covers, and the signature. */
export interface SignedRequest {
  /** `0x` and 64 lower-case hex digits, below r. */
  readonly nonce: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** `0x` and 130 hex digits: r, s and v. */
  readonly signature: string;
}

/** Signs a World ID 4.0 request. @param action - Undefined for a request about a session. */
export type SignRequest = (action: string | undefined, ttlSeconds: number) => SignedRequest;

const KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;
const INFO = 'proofgate sign-in relying party v1';

/**
 * Returns the hex digits of a signing key.
 *
 * @param from - The origin that a refusal names.
 * @throws ServiceError `rp.unusable_key`, whose message never has the key
 */
export async function signingKeyDigits(text: string, from: string): Promise<string> {
  const [, digits] = KEY.exec(text.trim()) ?? [];
  if (digits === undefined) {
    throw new ServiceError('rp.unusable_key', `${from}: expected 32 bytes in hex, with or without 0x`);
  }
  const { secp256k1 } = await import('@noble/curves/secp256k1.js');
  if (secp256k1.utils.isValidSecretKey(Buffer.from(digits, 'hex'))) return digits;
  throw new ServiceError(
    'rp.unusable_key',
    `${from}: expected a number from 1 to the order of secp256k1 minus 1`,
  );
}

/**
 * Returns the Ethereum address of a signing key, which the registry of relying parties has as its signer, with the checksum of
 * ERC-55.
 *
 * @param signingKeyHex - From `signingKeyDigits`.
 */
export async function signerAddress(signingKeyHex: string): Promise<string> {
  const { secp256k1 } = await import('@noble/curves/secp256k1.js');
  const point = secp256k1.getPublicKey(Buffer.from(signingKeyHex, 'hex'), false);
  // The last 20 bytes of the hash of x and y; the first byte of the point says that it is not compressed.
  return withChecksum(Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex'));
}

/** Creates the signer of a key. @param signingKeyHex - From `signingKeyDigits`. */
export async function createRequestSigner(signingKeyHex: string): Promise<SignRequest> {
  // Loaded where something is signed only: no other service or command needs it.
  const { signRequest } = await import('@worldcoin/idkit-server');
  return (action, ttl) => {
    const { sig, ...signed } = signRequest({
      signingKeyHex,
      ttl,
      ...(action === undefined ? {} : { action }),
    });
    return { ...signed, signature: sig };
  };
}

/**
 * Returns the signing key of sign-in: `signin.worldid4.signingKey`, or, outside production, one that is derived from the
 * master key.
 *
 * @throws ServiceError `rp.unusable_key`
 */
export async function signinSigningKey(
  config: KeyConfig & { readonly signin: Pick<Config['signin'], 'worldid4'> },
): Promise<string> {
  const { signingKey } = config.signin.worldid4;
  const derived = (): string =>
    Buffer.from(hkdfSync('sha256', masterKeyOf(config), '', INFO, 32)).toString('hex');
  return await signingKeyDigits(signingKey ?? derived(), SIGNIN_SIGNING_KEY);
}
