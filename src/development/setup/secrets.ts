import { hkdfSync } from 'node:crypto';
import { numberOf, SCALAR_ORDER } from '../../semaphore/index.ts';
import { SETUP_TEXT } from '../circuit-files.ts';

/** Twice the length of r, so that the values modulo r are statistically close to uniform. */
const DERIVED_BYTES = 64;

/** Secrets of a Groth16 setup; γ is 1, as in every setup of snarkjs. */
export interface SetupSecrets {
  readonly tau: bigint;
  readonly alpha: bigint;
  readonly beta: bigint;
  readonly delta: bigint;
}

/**
 * Derives the secrets of the development setup from the public text: HKDF-SHA-256 (RFC 5869) with the text as key
 * material, no salt and the secret's name as info, 64 bytes read big-endian, modulo r.
 */
export function developmentSecrets(): SetupSecrets {
  const scalar = (name: string): bigint =>
    numberOf(new Uint8Array(hkdfSync('sha256', SETUP_TEXT, '', name, DERIVED_BYTES))) % SCALAR_ORDER;
  return { tau: scalar('tau'), alpha: scalar('alpha'), beta: scalar('beta'), delta: scalar('delta') };
}
