import { createHash } from 'node:crypto';
import type { Engine } from '../../engine/index.ts';
import { writeHex } from '../../semaphore/index.ts';
import type { Bytes32 } from '../../storage/index.ts';

/** Bytes of a seed (spec/credential.md#eddsa-poseidon2, key-expansion). */
export const SEED_BYTES = 32;

const COORDINATE_BYTES = 32;

/** A credential key that is registered with the engine. */
export interface RegisteredKey {
  /** Id of the key in the engine. */
  readonly engineId: string;
  /** The compressed public key as 64 lower-case hex digits. */
  readonly keyId: string;
  /** Affine coordinates of the public key. */
  readonly x: Bytes32;
  readonly y: Bytes32;
  /** The compressed public key. */
  readonly publicKey: Bytes32;
}

/** The part of the engine that credential keys need. */
export type KeyEngine = Pick<Engine, 'registerSigningKey' | 'signCredentialHash' | 'verifySignature'>;

/**
 * Registers a seed with the engine, which derives the signing key (spec/credential.md#eddsa-poseidon2).
 *
 * @param seed - 32 bytes, wiped before this resolves or rejects.
 * @throws ServiceError `engine.busy`, `engine.draining`, `engine.worker_failed`
 */
export async function registerSeed(
  engine: Pick<Engine, 'registerSigningKey'>,
  seed: Uint8Array,
): Promise<RegisteredKey> {
  // The public key is known only afterwards. With an id derived from the seed, the engine keeps one key
  // however often this is called, and a stored key whose seed was replaced cannot take the id of the right
  // one.
  const engineId = `credential-${createHash('sha256').update('engine key\0').update(seed).digest('hex')}`;
  const bytes = await engine.registerSigningKey(engineId, seed);
  const publicKey = bytes.slice(2 * COORDINATE_BYTES);
  return {
    engineId,
    keyId: Buffer.from(publicKey).toString('hex'),
    x: bytes.slice(0, COORDINATE_BYTES),
    y: bytes.slice(COORDINATE_BYTES, 2 * COORDINATE_BYTES),
    publicKey,
  };
}

/**
 * Registers the seed of `refresh.signingSeed` with the engine. Its bytes are wiped; the string of the setting
 * stays in the configuration, since a string cannot be wiped.
 *
 * @param signingSeed - 64 hex digits.
 * @throws ServiceError as `registerSeed`
 */
export async function registerConfigured(
  engine: Pick<Engine, 'registerSigningKey'>,
  signingSeed: string,
): Promise<RegisteredKey> {
  const seed = new Uint8Array(SEED_BYTES);
  if (!writeHex(signingSeed, 0, signingSeed.length, seed))
    throw new TypeError('expected a seed of 64 hex digits');
  return await registerSeed(engine, seed);
}
