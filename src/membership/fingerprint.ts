import { createHash } from 'node:crypto';

/** SHA-256 of a verifying key, α ‖ β ‖ γ ‖ δ ‖ IC₀.. as `Engine.registerKey` takes it; 64 lower-case hex digits. */
export function fingerprint(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Fingerprints of keys whose trapdoor is public, so that anyone can forge proofs under them. Production refuses
 * them whatever they are called.
 */
export const FORGEABLE_FINGERPRINTS: ReadonlyMap<string, string> = new Map([
  // scalars from "proofgate-test-trapdoor-v1:", test/vectors/credential-vectors.json trapdoor_4
  ['baa49afb30e7a13267b3a7ecb1fd74b22dbff24dfe20766c52449fe9c2970693', 'trapdoor-4'],
  // circuits/semaphore: the beacon of its setup is public
  ['6bc8a888ec1e567ca718fbef2459138bdde6c7a5c6f88809b29ff7b75c9ad71e', 'dev-depth30'],
  // test/vectors/credential-vectors.json groth16_simulated
  ['eb4ccee742e5794018cf9f6ff5f2ee763b25bc8051b912b95368ef617a8caa17', 'groth16_simulated'],
]);
