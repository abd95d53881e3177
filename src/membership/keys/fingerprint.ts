import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a verifying key in the layout of `Engine.registerKey`, as 64 lower-case hex digits. */
export function fingerprint(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Fingerprints of keys whose trapdoor is public, so that anyone can forge proofs under them. Production refuses
 * them under any key id.
 */
export const FORGEABLE_FINGERPRINTS: ReadonlyMap<string, string> = new Map([
  // scalars from "proofgate-test-trapdoor-v1:", test/vectors/credential-vectors.json trapdoor_4
  ['baa49afb30e7a13267b3a7ecb1fd74b22dbff24dfe20766c52449fe9c2970693', 'trapdoor-4'],
  // the same scalars with ic0..ic15, circuits/trapdoor-15
  ['809bb5cf6a568ea87daf9ce7d3fa02d67cb0826d2c04b51194cb82a7d28d929f', 'trapdoor-15'],
  // circuits/dev-depth30: the secrets of its setup follow from a public text
  ['c0fd9a6487efb4573a6b6c628efb688c2f191bc13d76f24e4e0a39bf995df8e6', 'dev-depth30'],
  // an earlier dev-depth30, whose setup was a ceremony with a public beacon
  ['6bc8a888ec1e567ca718fbef2459138bdde6c7a5c6f88809b29ff7b75c9ad71e', 'dev-depth30 (earlier)'],
  // test/vectors/credential-vectors.json groth16_simulated
  ['eb4ccee742e5794018cf9f6ff5f2ee763b25bc8051b912b95368ef617a8caa17', 'groth16_simulated'],
]);
