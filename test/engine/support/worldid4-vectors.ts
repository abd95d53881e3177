/** World ID 4.0 proofs of the test data, as statements of the engine (spec/worldid4.md#public-inputs). */
import { readFileSync } from 'node:fs';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };
import { keyBytes, type SnarkjsKey, words } from './vectors.ts';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

/** Id of a built-in key of World ID 4.0. */
export type WorldId4Key = 'worldid4' | 'trapdoor-15';

/** Bytes of the built-in keys with 15 inputs. */
export const WORLDID4_KEYS: Readonly<Record<WorldId4Key, Uint8Array>> = {
  worldid4: builtInKey('worldid4'),
  'trapdoor-15': builtInKey('trapdoor-15'),
};

function builtInKey(keyId: WorldId4Key): Uint8Array {
  return keyBytes(read(`circuits/${keyId}/verification-key.json`) as SnarkjsKey);
}

/** One proof of the test data. */
export interface WorldId4Proof {
  readonly name: string;
  readonly keyId: WorldId4Key;
  readonly isValid: boolean;
  /** 256 bytes, compressed. */
  readonly proof: Uint8Array;
  /** 15 words. */
  readonly inputs: Uint8Array;
}

type Entry = Pick<
  (typeof worldId4.real | typeof worldId4.trapdoor.proofs)[number],
  'name' | 'verdict' | 'public_inputs' | 'proof'
>;

const proofOf =
  (keyId: WorldId4Key) =>
  ({ name, verdict, public_inputs, proof }: Entry): WorldId4Proof => ({
    name,
    keyId,
    isValid: verdict === 'valid',
    proof: words([...proof.slice(0, 4), '0', '0', '0', '0']),
    inputs: words(public_inputs),
  });

/** The 3 proofs of others under the ceremony's key, and 21 under the known-trapdoor key, one of them false. */
export const WORLDID4_PROOFS: readonly WorldId4Proof[] = [
  ...worldId4.real.map(proofOf('worldid4')),
  ...worldId4.trapdoor.proofs.map(proofOf('trapdoor-15')),
];
