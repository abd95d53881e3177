/** Variants of a valid proof (spec/verification.md#proof-variants) as changes of a request. */
import { P, R } from '../../support/crypto/bn254.ts';
import { decompress } from '../../support/crypto/curve-reference.ts';
import { bodyOf, type Fields, itemOf, type ProofVector, vector } from './vectors.ts';

export interface Variant {
  readonly name: string;
  readonly body: Fields;
  /** `ok`, or code and detail of the item. */
  readonly expected: 'ok' | { readonly code: string; readonly detail: string; readonly attribute?: string };
  /** Path id; default: the rp_id of the entry. */
  readonly id?: string;
}

const SHORT = { code: 'invalid_proof', detail: 'The provided proof is invalid.' };
const LONG = {
  code: 'invalid_proof',
  detail: 'The provided proof is invalid and it cannot be verified. Please check all inputs and try again.',
};
const PROVER = {
  code: 'prover_error',
  detail: 'The prover encountered an error while verifying the proof. Please try again.',
};
const ROOT = {
  code: 'invalid_merkle_root',
  detail: 'The provided Merkle root is invalid. User appears to be unverified.',
};
const PROOF_FORMAT = {
  code: 'invalid_format',
  detail:
    'This attribute is improperly formatted. Expected either an ABI-encoded uint256[8] string or a JSON-encoded array string in the correct format.',
  attribute: 'proof',
};
const wordFormat = (attribute: string): Variant['expected'] => ({
  code: 'invalid_format',
  detail: 'This attribute is improperly formatted. Expected an ABI-encoded uint256.',
  attribute,
});
const SIGNAL_FORMAT = {
  code: 'invalid_format',
  detail: 'This attribute is improperly formatted. Expected an ABI-encoded uint256 or a string.',
  attribute: 'signal',
};

const hex = (value: bigint): string => value.toString(16).padStart(64, '0');
const joined = (words: readonly bigint[]): string => `0x${words.map(hex).join('')}`;
const plus = (text: string, value: bigint): string => `0x${hex(BigInt(text) + value)}`;
const zeros = (count: number): bigint[] => new Array<bigint>(count).fill(0n);

type Eight = readonly [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
type Four = readonly [bigint, bigint, bigint, bigint];

/** Returns all variants of an entry; `otherAppId` is a registered app that the proof was not made for. */
export function variantsOf(entry: ProofVector, otherAppId: string): readonly Variant[] {
  const words = Array.from({ length: 8 }, (_, i) =>
    BigInt(`0x${entry.proof.slice(2 + 64 * i, 66 + 64 * i)}`),
  );
  const [w0, w1, w2, w3, w4, w5, w6, w7] = words as unknown as Eight;
  const [a, b1, b0, c] = entry.proof_compressed.map(BigInt) as unknown as Four;
  const compressed = (four: readonly bigint[]): string => joined([...four, ...zeros(4)]);
  const item = (name: string, changes: Fields, expected: Variant['expected']): Variant => ({
    name,
    body: bodyOf(entry, { responses: [itemOf(entry, changes)] }),
    expected,
  });
  const proof = (name: string, text: string, expected: Variant['expected']): Variant =>
    item(name, { proof: text }, expected);
  const nested = (text: (word: bigint) => string): string => {
    const [t0, t1, t2, t3, t4, t5, t6, t7] = words.map(text);
    return JSON.stringify([
      [t0, t1],
      [
        [t2, t3],
        [t4, t5],
      ],
      [t6, t7],
    ]);
  };
  const outside = [
    0n,
    1n,
    0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4n,
    0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bbn,
  ];
  const digits = entry.proof.slice(2);

  return [
    item('as is', {}, 'ok'),
    proof('upper-case hex digits', `0x${digits.toUpperCase()}`, 'ok'),
    proof('prefix 0X', `0X${digits}`, 'ok'),
    item(
      'upper-case words',
      {
        merkle_root: `0x${entry.merkle_root.slice(2).toUpperCase()}`,
        signal_hash: `0x${entry.signal_hash.slice(2).toUpperCase()}`,
      },
      'ok',
    ),
    item('signal_hash with 0X', { signal_hash: entry.signal_hash.toUpperCase() }, 'ok'),
    item('short signal_hash', { signal_hash: entry.signal_hash.replace(/^0x0+/, '0x') }, 'ok'),
    proof(
      'JSON text of hex words',
      nested((word) => `0x${word.toString(16)}`),
      'ok',
    ),
    proof('JSON text of decimal words', nested(String), 'ok'),
    proof('compressed', compressed([a, b1, b0, c]), 'ok'),
    proof('A and B negated', joined([w0, P - w1, w2, w3, P - w4, P - w5, w6, w7]), 'ok'),
    proof('compressed, s of a and of b_c0 flipped', compressed([a ^ 1n, b1, b0 ^ 1n, c]), 'ok'),
    proof('only A negated', joined([w0, P - w1, w2, w3, w4, w5, w6, w7]), SHORT),
    proof('compressed, s of a flipped', compressed([a ^ 1n, b1, b0, c]), SHORT),
    proof('compressed, s of b_c0 flipped', compressed([a, b1, b0 ^ 1n, c]), SHORT),
    item('nullifier + 1', { nullifier: plus(entry.nullifier_hash, 1n) }, SHORT),
    item('another signal_hash', { signal_hash: plus(entry.signal_hash, 1n) }, SHORT),
    item('the default signal_hash', { signal_hash: undefined }, SHORT),
    { name: 'another action', body: bodyOf(entry, { action: 'another' }), expected: SHORT },
    { name: 'another app', body: bodyOf(entry), expected: SHORT, id: otherAppId },
    proof('C replaced by A', joined([w0, w1, w2, w3, w4, w5, w0, w1]), SHORT),
    proof('A at infinity', joined([0n, 0n, w2, w3, w4, w5, w6, w7]), SHORT),
    proof('B at infinity', joined([w0, w1, ...zeros(4), w6, w7]), SHORT),
    proof('C at infinity', joined([w0, w1, w2, w3, w4, w5, 0n, 0n]), SHORT),
    proof('eight zero words', joined(zeros(8)), SHORT),
    proof('a depth-20 proof', vector(5).proof, SHORT),
    proof('w4..w7 zeroed', joined([w0, w1, w2, w3, ...zeros(4)]), LONG),
    // parsed as compressed; if such words decompress by chance, B is outside the subgroup
    proof(
      'B and C at infinity, uncompressed',
      joined([w0, w1, ...zeros(6)]),
      decompress([w0, w1, 0n, 0n]) ? PROVER : LONG,
    ),
    proof('compressed, hint flipped', compressed([a, b1, b0 ^ 2n, c]), LONG),
    proof('compressed, a>>1 = p', compressed([P << 1n, b1, b0, c]), LONG),
    proof('compressed, a>>1 = 4', compressed([8n, b1, b0, c]), LONG),
    proof('C.y = 123456', joined([w0, w1, w2, w3, w4, w5, w6, 123456n]), PROVER),
    proof('c0 and c1 of B swapped', joined([w0, w1, w3, w2, w5, w4, w6, w7]), PROVER),
    proof('B before A', joined([w2, w3, w4, w5, w0, w1, w6, w7]), PROVER),
    proof('B outside the subgroup', joined([w0, w1, ...outside, w6, w7]), PROVER),
    proof('B outside the subgroup, compressed', compressed([a, 0n, 4n, c]), PROVER),
    proof('w0 + p', joined([w0 + P, w1, w2, w3, w4, w5, w6, w7]), PROVER),
    proof('w7 + p', joined([w0, w1, w2, w3, w4, w5, w6, w7 + P]), PROVER),
    item('nullifier + r', { nullifier: plus(entry.nullifier_hash, R) }, PROVER),
    item('signal_hash + r', { signal_hash: plus(entry.signal_hash, R) }, PROVER),
    item('root not registered', { merkle_root: '0x0123' }, ROOT),
    item('root not registered, bad proof', { merkle_root: '0x0123', proof: joined(zeros(8)) }, ROOT),
    item('merkle_root + r', { merkle_root: plus(entry.merkle_root, R) }, ROOT),
    item('another tree', { identifier: 'device' }, ROOT),
    proof('7 words', `0x${digits.slice(64)}`, PROOF_FORMAT),
    proof('257 bytes', `0x${digits}00`, PROOF_FORMAT),
    proof('128 bytes', `0x${digits.slice(256)}`, PROOF_FORMAT),
    proof('odd length', `0x${digits.slice(1)}`, PROOF_FORMAT),
    proof('no prefix', digits, PROOF_FORMAT),
    proof('white space around', ` ${entry.proof} `, PROOF_FORMAT),
    item(
      'nullifier of 66 digits',
      { nullifier: `0x00${entry.nullifier_hash.slice(2)}` },
      wordFormat('nullifier_hash'),
    ),
    item(
      'merkle_root of 66 digits',
      { merkle_root: `0x00${entry.merkle_root.slice(2)}` },
      wordFormat('merkle_root'),
    ),
    item('signal_hash of 66 digits', { signal_hash: `0x00${entry.signal_hash.slice(2)}` }, SIGNAL_FORMAT),
    item('merkle_root "0x"', { merkle_root: '0x' }, wordFormat('merkle_root')),
    item('merkle_root "zz"', { merkle_root: 'zz' }, wordFormat('merkle_root')),
  ];
}
