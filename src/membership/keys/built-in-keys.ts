import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Profile } from '../../config/settings/setting.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type KeyOptions, type ReadKey, readKey } from '../../groth16/key.ts';
import { type DecodedKey, FormError } from '../../groth16/layout.ts';
import type { KeyOrigin } from '../../storage/verifying-keys.ts';

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

/**
 * Runs a step that decodes a key.
 *
 * @throws ServiceError `key.*` for each `FormError` of the step
 */
export function decodeKey<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw new ServiceError(error.code, error.message, { path: error.path }, { cause: error });
  }
}

/**
 * Reads a verifying key in any form of `readKey`.
 *
 * @param source - A value as parsed, the text or the bytes of a file.
 * @throws ServiceError `key.*`; the message names the members that are wrong
 */
export function keyFrom(source: unknown, options?: KeyOptions): ReadKey {
  return decodeKey(() => readKey(source, options));
}

/** A verifying key that comes with the program; its file is `circuits/<keyId>/verification-key.json`. */
export interface BuiltInKey {
  readonly keyId: string;
  readonly origin: KeyOrigin;
  readonly depth: number | null;
  readonly source: string;
  readonly fingerprint: string;
  /** Profiles that may load it. */
  readonly profiles: readonly Profile[];
}

const EVERY_PROFILE: readonly Profile[] = ['development', 'production', 'test', 'bench'];

function ceremonyKey(depth: number, sha256: string): BuiltInKey {
  return {
    keyId: `semaphore-depth${depth}`,
    origin: 'ceremony',
    depth,
    source: 'Semaphore ceremony, npm @semaphore-protocol/proof 3.15.2',
    fingerprint: sha256,
    profiles: EVERY_PROFILE,
  };
}

/** The built-in keys with their fingerprints (spec/verification.md#built-in-keys). */
export const BUILT_IN_KEYS: readonly BuiltInKey[] = [
  ceremonyKey(16, 'd18d57f84c4f8da7e62220e6bb625c1de9a29b986782ab186fd1ea639a3e4c71'),
  ceremonyKey(20, '8dc2dee78b3dbef19e242334788c662e959096724ede1de9865e5193dd2df840'),
  ceremonyKey(30, '702fbe3a998883755424097376d42190d5a0fb0c93412580a4f036e9146b4b52'),
  {
    keyId: 'dev-depth30',
    origin: 'development',
    depth: 30,
    source: 'circuits/semaphore under the public development setup; anyone can forge proofs under it',
    fingerprint: 'c0fd9a6487efb4573a6b6c628efb688c2f191bc13d76f24e4e0a39bf995df8e6',
    profiles: ['development', 'test', 'bench'],
  },
  {
    keyId: 'worldid4',
    origin: 'ceremony',
    depth: 30,
    source: 'World ID 4.0 ceremony, worldcoin/world-id-protocol contracts/src/core/Verifier.sol',
    fingerprint: 'daf5296b8023132bcb6eb8bcfc092a3034e97b55dfa05b5cfacf0026489b916a',
    profiles: EVERY_PROFILE,
  },
  {
    keyId: 'trapdoor-15',
    origin: 'trapdoor',
    depth: 30,
    source: 'public scalars; anyone can forge proofs under it',
    fingerprint: '809bb5cf6a568ea87daf9ce7d3fa02d67cb0826d2c04b51194cb82a7d28d929f',
    profiles: ['development', 'test', 'bench'],
  },
  {
    keyId: 'trapdoor-4',
    origin: 'trapdoor',
    depth: null,
    source: 'public scalars; anyone can forge proofs under it',
    fingerprint: 'baa49afb30e7a13267b3a7ecb1fd74b22dbff24dfe20766c52449fe9c2970693',
    profiles: ['test', 'bench'],
  },
];

/** Looks up a built-in key by id. */
export function builtInKey(keyId: string): BuiltInKey | undefined {
  return BUILT_IN_KEYS.find((key) => key.keyId === keyId);
}

/**
 * Reads the file of a built-in key.
 *
 * @throws ServiceError `key.conflict` if the file has another fingerprint than `row`, and those of `keyFrom`.
 */
export async function loadBuiltInKey(row: BuiltInKey): Promise<DecodedKey> {
  const file = new URL(`../../../circuits/${row.keyId}/verification-key.json`, import.meta.url);
  const decoded = keyFrom(await readFile(file, 'utf8'));
  const found = fingerprint(decoded.key);
  if (found !== row.fingerprint) {
    throw new ServiceError(
      'key.conflict',
      `${row.keyId}: the file has fingerprint ${found}, expected ${row.fingerprint}`,
    );
  }
  return decoded;
}
