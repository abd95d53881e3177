/** One proof in every form that people have, and its public signals, with the name of the form. */
import { toBase64 } from '../../../src/bytes.ts';
import { be32 } from '../crypto/bn254.ts';
import { compress } from '../crypto/curve-reference.ts';
import {
  type BinaryStyle,
  bytesOfWords,
  count,
  encoded,
  g1Bytes,
  g2Bytes,
  hexOf,
  join,
  wordsOfPoints,
} from './bytes.ts';
import { type Form, struct, without } from './keys.ts';
import type { TextG1, TextG2, TextProof, TextStatement } from './statement.ts';
import { affine, deep, hex, hex32, projective, swapped } from './values.ts';

/** A form of a proof; `hasSignals` if it has the public signals, too. */
export interface ProofForm extends Form<TextStatement> {
  readonly hasSignals?: true;
}

/** The eight numbers of a proof as the engine takes them. */
export function proofWords({ pi_a, pi_b, pi_c }: TextProof): bigint[] {
  return wordsOfPoints([pi_a, pi_b, pi_c]);
}

/** 256 bytes of a proof. */
export function proofBytes(proof: TextProof): Uint8Array {
  return bytesOfWords(proofWords(proof));
}

/** 128 bytes of a proof in the compressed form of the engine. */
export function compressedBytes(proof: TextProof): Uint8Array {
  return bytesOfWords(compress(proofWords(proof)));
}

/** A proof as gnark or arkworks writes it. */
export function binaryProof({ pi_a, pi_b, pi_c }: TextProof, style: BinaryStyle): Uint8Array {
  return join(g1Bytes(pi_a, style), g2Bytes(pi_b, style), g1Bytes(pi_c, style));
}

/** What gnark writes since 0.9: the number of commitments, these, and the point of their proof. */
export function gnarkTail(commitments: number, isCompressed: boolean): Uint8Array {
  const bytes = isCompressed ? 32 : 64;
  const infinity = new Uint8Array(bytes);
  if (isCompressed) infinity[0] = 0x40;
  return join(count(commitments, 'gnark'), ...Array.from({ length: commitments + 1 }, () => infinity));
}

/** Replaces the points of a proof. */
export function withProofPoints(proof: TextProof, change: (point: TextG1 | TextG2) => unknown): object {
  const { pi_a, pi_b, pi_c } = proof;
  return { ...proof, pi_a: change(pi_a), pi_b: change(pi_b), pi_c: change(pi_c) };
}

/** The arguments of a Solidity verifier. */
export function solidityArguments({ pi_a, pi_b, pi_c }: TextProof): unknown[] {
  return [affine(pi_a), swapped(pi_b), affine(pi_c)];
}

/** A proof as the JSON of the structs of gnark. */
export function gnarkJsonProof({ pi_a, pi_b, pi_c }: TextProof): object {
  return {
    Ar: { X: pi_a[0], Y: pi_a[1] },
    Krs: { X: pi_c[0], Y: pi_c[1] },
    Bs: { X: { A0: pi_b[0][0], A1: pi_b[0][1] }, Y: { A0: pi_b[1][0], A1: pi_b[1][1] } },
    Commitments: [],
    CommitmentPok: { X: 0, Y: 0 },
  };
}

/** A file proof.json of ZoKrates. */
export function zokratesProof({ proof, publicSignals }: TextStatement): object {
  const { pi_a, pi_b, pi_c } = proof;
  const point = (value: TextG1 | TextG2): unknown => deep(affine(value), hex32);
  return {
    scheme: 'g16',
    curve: 'bn128',
    proof: { a: point(pi_a), b: point(pi_b), c: point(pi_c) },
    inputs: publicSignals.map(hex32),
  };
}

/** What `snarkjs zkey export soliditycalldata` prints: the arguments without outer brackets. */
export function calldata({ proof, publicSignals }: TextStatement): string {
  const [a, b, c] = solidityArguments(proof);
  return [a, b, c, publicSignals].map((list) => JSON.stringify(deep(list, hex32))).join(', ');
}

const snarkjs = (name: string, write: (proof: TextProof) => unknown): ProofForm => ({
  name,
  form: 'snarkjs',
  write: ({ proof }) => write(proof),
});
const own = (name: string, form: string, write: (proof: TextProof) => unknown): ProofForm => ({
  name,
  form,
  write: ({ proof }) => write(proof),
});
const named = (names: readonly [string, string, string]) => (proof: TextProof) =>
  Object.fromEntries(solidityArguments(proof).map((value, index) => [names[index], value]));
const SELECTOR = Uint8Array.of(0xa4, 0x59, 0x4c, 0x59);
const GNARK = { tool: 'gnark' } as const;
const ARKWORKS = { tool: 'arkworks' } as const;

/** The forms of proofs. */
export const PROOF_FORMS: readonly ProofForm[] = [
  snarkjs('snarkjs', (proof) => proof),
  ...['bn254', 'BN254', 'bn_128', 'alt_bn128'].map((curve) =>
    snarkjs(`curve ${curve}`, (proof) => ({ ...proof, curve })),
  ),
  snarkjs('no protocol and curve', (proof) => without(proof, 'protocol', 'curve')),
  snarkjs('hex', (proof) => withProofPoints(proof, (point) => deep(point, hex))),
  snarkjs('leading zeros', (proof) => withProofPoints(proof, (point) => deep(point, (leaf) => `00${leaf}`))),
  snarkjs('bigints', (proof) => withProofPoints(proof, (point) => deep(point, BigInt))),
  snarkjs('two coordinates', (proof) => withProofPoints(proof, affine)),
  snarkjs('third coordinates as numbers', (proof) =>
    withProofPoints(proof, ([x, y, z]) => [x, y, deep(z, Number)]),
  ),
  snarkjs('projective', (proof) => withProofPoints(proof, (point) => projective(point, 5n, [1n, 1n]))),
  snarkjs('Jacobian', (proof) => withProofPoints(proof, (point) => projective(point, 5n, [2n, 3n]))),
  snarkjs('one projective point', (proof) => ({ ...proof, pi_a: projective(proof.pi_a, 5n, [1n, 1n]) })),
  snarkjs('JSON text', (proof) => JSON.stringify(proof)),
  snarkjs('JSON text with mark', (proof) => `\ufeff${JSON.stringify(proof)}`),
  snarkjs('JSON text in JSON', (proof) => JSON.stringify(JSON.stringify(proof))),
  snarkjs('UTF-16LE', (proof) => encoded(JSON.stringify(proof), 'utf16le', true)),
  snarkjs('UTF-16BE without mark', (proof) => encoded(JSON.stringify(proof), 'utf16be', false)),
  { name: 'fullProve', form: 'snarkjs', write: (statement) => statement, hasSignals: true },
  ...['public_signals', 'pub_signals', 'publicInputs', 'inputs'].map(
    (member): ProofForm => ({
      name: `proof and ${member}`,
      form: 'snarkjs',
      write: ({ proof, publicSignals }) => ({ proof, [member]: publicSignals }),
      hasSignals: true,
    }),
  ),
  own('eight numbers', 'eight-numbers', (proof) => proofWords(proof).map(String)),
  own('eight numbers in hex', 'eight-numbers', (proof) => proofWords(proof).map(String).map(hex32)),
  own('points', 'semaphore', (proof) => ({ points: proofWords(proof).map(String) })),
  {
    name: 'eight numbers with signals',
    form: 'eight-numbers',
    write: ({ proof, publicSignals }) => [proofWords(proof).map(String), publicSignals],
    hasSignals: true,
  },
  own('three arrays', 'solidity-calldata', (proof) => solidityArguments(proof)),
  { name: 'calldata', form: 'solidity-calldata', write: calldata, hasSignals: true },
  {
    name: 'calldata in brackets',
    form: 'solidity-calldata',
    write: (statement) => `[${calldata(statement)}]`,
    hasSignals: true,
  },
  own('a, b, c', 'solidity', named(['a', 'b', 'c'])),
  own('pA, pB, pC', 'solidity', named(['pA', 'pB', 'pC'])),
  own('_pA, _pB, _pC', 'solidity', named(['_pA', '_pB', '_pC'])),
  { name: 'ZoKrates', form: 'zokrates', write: zokratesProof, hasSignals: true },
  own('garaga', 'garaga', ({ pi_a, pi_b, pi_c }) => ({ a: struct(pi_a), b: struct(pi_b), c: struct(pi_c) })),
  own('gnark JSON', 'gnark-json', gnarkJsonProof),
  own('gnark raw', 'gnark-raw', (proof) =>
    join(binaryProof(proof, { ...GNARK, isCompressed: false }), gnarkTail(0, false)),
  ),
  own('gnark raw before 0.9', 'bytes', (proof) => binaryProof(proof, { ...GNARK, isCompressed: false })),
  own('gnark compressed', 'gnark-compressed', (proof) =>
    join(binaryProof(proof, { ...GNARK, isCompressed: true }), gnarkTail(0, true)),
  ),
  own('gnark compressed before 0.9', 'gnark-compressed', (proof) =>
    binaryProof(proof, { ...GNARK, isCompressed: true }),
  ),
  own('arkworks', 'arkworks', (proof) => binaryProof(proof, { ...ARKWORKS, isCompressed: false })),
  own('arkworks compressed', 'arkworks-compressed', (proof) =>
    binaryProof(proof, { ...ARKWORKS, isCompressed: true }),
  ),
  own('selector', 'selector-bytes', (proof) => join(SELECTOR, proofBytes(proof))),
  own('selector in hex', 'selector-bytes', (proof) => hexOf(join(SELECTOR, proofBytes(proof)))),
  own('bytes', 'bytes', proofBytes),
  own('bytes in hex', 'bytes', (proof) => hexOf(proofBytes(proof))),
  own('bytes in hex without 0x', 'bytes', (proof) => hexOf(proofBytes(proof)).slice(2)),
  own('bytes in base64', 'bytes', (proof) => toBase64(proofBytes(proof))),
  own('bytes in hex as JSON', 'bytes', (proof) => JSON.stringify(hexOf(proofBytes(proof)))),
  own('compressed bytes', 'compressed-bytes', compressedBytes),
  own('compressed bytes in hex', 'compressed-bytes', (proof) => hexOf(compressedBytes(proof))),
  own('gnark compressed in base64', 'gnark-compressed', (proof) =>
    toBase64(binaryProof(proof, { ...GNARK, isCompressed: true })),
  ),
];

/** 32 bytes of each signal. */
export function signalBytes(signals: readonly string[]): Uint8Array {
  return bytesOfWords(signals.map(BigInt));
}

/** A public witness of gnark. */
export function gnarkWitness(signals: readonly string[]): Uint8Array {
  const head = [signals.length, 0, signals.length].map((value) => count(value, 'gnark'));
  return join(...head, signalBytes(signals));
}

/** Public inputs as arkworks writes a list of them. */
export function arkworksInputs(signals: readonly string[]): Uint8Array {
  const words = signals.map((text) => be32(BigInt(text)).reverse());
  return join(count(signals.length, 'arkworks'), ...words);
}

/** A form of public signals. */
export interface SignalsForm {
  readonly name: string;
  readonly write: (signals: readonly string[]) => unknown;
}

/** The forms of public signals. */
export const SIGNALS_FORMS: readonly SignalsForm[] = [
  { name: 'decimal', write: (signals) => signals },
  { name: 'hex', write: (signals) => signals.map(hex) },
  { name: 'hex in capitals', write: (signals) => signals.map((text) => hex(text).toUpperCase()) },
  { name: '32 bytes in hex', write: (signals) => signals.map(hex32) },
  { name: 'leading zeros', write: (signals) => signals.map((text) => `000${text}`) },
  { name: 'bigints', write: (signals) => signals.map(BigInt) },
  { name: 'JSON text', write: (signals) => JSON.stringify(signals) },
  { name: 'JSON text with mark', write: (signals) => `\ufeff${JSON.stringify(signals)}` },
  { name: 'JSON text in JSON', write: (signals) => JSON.stringify(JSON.stringify(signals)) },
  { name: 'UTF-16LE', write: (signals) => encoded(JSON.stringify(signals), 'utf16le', false) },
  { name: 'bytes', write: signalBytes },
  { name: 'bytes in hex', write: (signals) => hexOf(signalBytes(signals)) },
  { name: 'bytes in base64', write: (signals) => toBase64(signalBytes(signals)) },
  { name: 'witness of gnark', write: gnarkWitness },
  { name: 'witness of gnark in hex', write: (signals) => hexOf(gnarkWitness(signals)) },
  { name: 'inputs of arkworks', write: arkworksInputs },
];
