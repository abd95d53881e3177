import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { be32 } from '../../test/support/crypto/bn254.ts';
import { decompress } from '../../test/support/crypto/curve-reference.ts';
import { root } from '../support/paths.ts';
import { falseMembers, keyBytes, type ProofMember, type ProofSet, type SnarkjsKey } from './proof-set.ts';
import { refusedMembers } from './refused-members.ts';

interface Entry {
  readonly verdict: 'valid' | 'false';
  readonly public_inputs: readonly string[];
  /** [a, b_c1, b_c0, c], compressed. */
  readonly proof: readonly string[];
}

const words = (texts: readonly string[]): Uint8Array[] => texts.map((text) => be32(BigInt(text)));

/** The eight words of a compressed proof. */
function pointsOf(compressed: readonly string[]): Uint8Array {
  const points = decompress(compressed.map(BigInt));
  if (points === undefined) throw new Error('a proof of the test vectors does not decompress');
  return Buffer.concat(points.map(be32));
}

/** Proofs of World ID 4.0, as points and compressed as in requests. */
export interface WorldId4Sets {
  readonly points: ProofSet;
  readonly compressed: ProofSet;
}

/**
 * Loads the true proofs of the World ID 4.0 test vectors, with 15 public inputs under the known-trapdoor key, and makes
 * false and malformed ones from them. Their inputs are as large as in requests: issuer, times, depth and rp_id are short.
 */
export function loadWorldId4Sets(): WorldId4Sets {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const json = read('circuits/trapdoor-15/verification-key.json') as SnarkjsKey;
  const { trapdoor } = read('test/vectors/worldid4-proofs.json') as {
    trapdoor: { proofs: readonly Entry[] };
  };
  const entries = trapdoor.proofs.filter(({ verdict }) => verdict === 'valid');
  const member = ({ public_inputs }: Entry, proof: Uint8Array): ProofMember => ({
    proof,
    inputs: Buffer.concat(words(public_inputs)),
    kind: 'true',
    expected: true,
  });
  const points = entries.map((entry) => member(entry, pointsOf(entry.proof)));
  const padded = (proof: readonly string[]): Uint8Array =>
    Buffer.concat([...words(proof), new Uint8Array(4 * be32(0n).length)]);
  const common = {
    json,
    key: keyBytes(json),
    invalid: falseMembers(points),
    refused: refusedMembers(points[0] as ProofMember),
  };
  return {
    points: { ...common, parameters: { inputs: 15 }, valid: points },
    compressed: {
      ...common,
      parameters: { inputs: 15, form: 'compressed' },
      valid: entries.map((entry) => member(entry, padded(entry.proof))),
    },
  };
}
