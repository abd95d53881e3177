/**
 * Demonstrating proof of possession (spec/sign-in.md#dpop, RFC 9449): the check of a proof and of the key in it, the
 * nonces of this service, and the challenges of `/userinfo`. The endpoints apply the result.
 */
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose';
import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { GrantStore } from '../../storage/signin/grants.ts';
import type { UsedProof } from '../../storage/values.ts';
import {
  CLOCK_TOLERANCE_SECONDS,
  invalidProof,
  type ProofRequest,
  type ReadProof,
  readProof,
} from './read-proof.ts';

/** Nonces for proofs (spec/sign-in.md#nonces-of-proofs, RFC 9449 section 8). */
export interface DpopNonces {
  /** Returns the nonce of the current window. */
  current(): string;
  /** Returns the expiry of a valid nonce, in milliseconds since the epoch; undefined for any other text. */
  endOf(nonce: string): number | undefined;
}

const INFO = 'proofgate dpop nonce v1';
const WINDOW_MS = 300_000;
const NONCE_BYTES = 16;

/**
 * Creates the nonces: HMACs of the number of a window of 5 minutes, valid in that window and the next. The key is
 * derived from the master key, so that every node accepts the nonces of the others and nothing is stored. Nonces under
 * the former master key are accepted too, for nodes without the new one.
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

/** A proof that is valid, except that it may have been used before. */
export interface CheckedProof {
  /** RFC 7638 thumbprint of its key, base64url of SHA-256. */
  readonly jkt: string;
  /** Record of the use, which prevents a second one. */
  readonly use: UsedProof;
}

/** Checks proofs of possession (spec/sign-in.md#dpop, RFC 9449). */
export interface Dpop {
  /** Returns a nonce for the next proof. */
  nonce(): string;
  /**
   * Checks a proof, the signature last; does not record its use.
   *
   * @throws ServiceError `dpop.invalid_proof`; `dpop.use_nonce` if its only fault is a missing or expired nonce
   */
  check(request: ProofRequest): Promise<CheckedProof>;
  /**
   * Records the use of a proof, durably.
   *
   * @throws ServiceError `dpop.invalid_proof` if it was used before, `store.unreachable`
   */
  use(proof: CheckedProof): Promise<void>;
}

/** Dependencies of `createDpop`. */
export interface DpopParts {
  readonly nonces: DpopNonces;
  readonly grants: Pick<GrantStore, 'useProof'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Retention of a use after the expiry of its nonce, for nodes whose clocks are behind. */
const CLOCK_MARGIN_MS = 300_000;

/** Creates the check of proofs. */
export function createDpop({ nonces, grants, now }: DpopParts): Dpop {
  return {
    nonce: () => nonces.current(),
    async check(request) {
      const proof = readProof(request, now());
      const nonceEndsAt = proof.nonce === undefined ? undefined : nonces.endOf(proof.nonce);
      if (nonceEndsAt === undefined) throw new ServiceError('dpop.use_nonce');
      await verify(request.proof, proof, now());
      const jkt = await calculateJwkThumbprint(proof.publicKey, 'sha256');
      const text = JSON.stringify([jkt, proof.jti, request.address]);
      const hash = new Uint8Array(createHash('sha256').update(text).digest());
      return { jkt, use: { hash, expiresAt: nonceEndsAt + CLOCK_MARGIN_MS } };
    },
    async use({ use }) {
      if (!(await grants.useProof(use))) throw proofUsed();
    },
  };
}

/** Returns the error of a proof that was used before. */
export function proofUsed(): ServiceError {
  return invalidProof('it was used before.');
}

async function verify(text: string, { alg, publicKey }: ReadProof, now: number): Promise<void> {
  try {
    const key = await importJWK(publicKey, alg);
    await jwtVerify(text, key, {
      algorithms: [alg],
      typ: 'dpop+jwt',
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
  } catch (cause) {
    // A point off the curve fails the import with an error of the engine, not of jose.
    throw invalidProof('its signature does not verify, or it has ended.', cause);
  }
}
