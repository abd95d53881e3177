/** Keys, proofs and public signals that are refused, with the code, and what the message says. */
import { R } from '../crypto/bn254.ts';
import { join } from './bytes.ts';
import { gnarkJsonKey, gnarkKey, KEY_FORMS, keyBytes, without, withPoints, zokratesKey } from './keys.ts';
import {
  binaryProof,
  gnarkJsonProof,
  gnarkTail,
  PROOF_FORMS,
  proofBytes,
  proofWords,
  signalBytes,
  solidityArguments,
  zokratesProof,
} from './proofs.ts';
import { KEY, TRUE_STATEMENT } from './statement.ts';
import { hex32 } from './values.ts';

/** A value that every interface refuses. */
export interface Wrong {
  readonly name: string;
  readonly value: unknown;
  readonly code: string;
  readonly message: RegExp;
  /**
   * What `groth16.verify` of `proofgate/snarkjs` answers if that is no error with the code: false, as snarkjs, or that the
   * statement is valid, since it reads fewer labels.
   */
  readonly snarkjs?: 'false' | 'valid' | 'added';
}

const { proof: PROOF, publicSignals: SIGNALS } = TRUE_STATEMENT;
const [a, b, c] = [PROOF.pi_a, PROOF.pi_b, PROOF.pi_c];
/** Longer than what a message quotes. */
const BARE = hex32(a[0]).slice(2).replace(/^./, 'f');
const HUGE = String(1n << 256n);
const INEXACT = 2 ** 60;

/** A point whose readings as (x/z, y/z) and (x/z², y/z³) are both on the curve: x³ = −3 z³ (z³ + z² + z + 1). */
export const AMBIGUOUS: readonly [string, string, string] = [
  '4320256885117878321016965058113790821236726606527401133032981689181593096592',
  '5118716053087548394959622087826589417353426569563662118750742599126277205465',
  '10',
];

/** An array with a hole, which JSON says as null. */
function holed(values: readonly string[]): unknown[] {
  const array: unknown[] = [...values];
  delete array[1];
  return array;
}

/** One byte less, and one more. */
function resized(name: string, bytes: Uint8Array, code: string): Wrong[] {
  const message = /expected .* got \d+/;
  return [
    { name: `${name}, a byte less`, value: bytes.slice(0, -1), code, message },
    { name: `${name}, a byte more`, value: join(bytes, Uint8Array.of(0)), code, message },
  ];
}

const swapped = KEY.vk_beta_2.map(([c0, c1], index) => (index < 2 ? [c1, c0] : [c0, c1]));
const keyWith = (x: unknown): object => ({ ...KEY, vk_alpha_1: [x, KEY.vk_alpha_1[1], '1'] });
/** What gnark has of one commitment: its inputs, and a key of two points of G2. */
const committed = join(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1), new Uint8Array(256));

/** Wrong keys. */
export const WRONG_KEYS: readonly Wrong[] = [
  {
    name: 'c0 and c1 of β in the other order',
    value: { ...KEY, vk_beta_2: swapped },
    code: 'key.point_not_on_curve',
    message: /vk_beta_2: .*other order/,
  },
  {
    name: 'hex without 0x',
    value: keyWith(BARE),
    code: 'key.not_json',
    message: new RegExp(`vk_alpha_1\\[0\\]: .*got "${BARE.slice(0, 40)}…", which lacks 0x`),
  },
  {
    name: 'a JSON number from 2^53',
    value: keyWith(INEXACT),
    code: 'key.not_json',
    message: /vk_alpha_1\[0\]: .*as text.*got 1152921504606847000/,
  },
  {
    name: 'a negative number',
    value: keyWith('-1'),
    code: 'key.coordinate_range',
    message: /vk_alpha_1\[0\]: .*from 0, got "-1"/,
  },
  {
    name: 'more than 256 bits',
    value: keyWith(HUGE),
    code: 'key.coordinate_range',
    message: /vk_alpha_1\[0\]: .*256 bits, got "1157/,
  },
  {
    name: 'p or more',
    value: keyWith(String((1n << 256n) - 1n)),
    code: 'key.coordinate_range',
    message: /vk_alpha_1: .*below p/,
  },
  {
    name: 'plonk',
    value: { ...KEY, protocol: 'plonk' },
    code: 'key.protocol',
    message: /protocol: .*got "plonk"/,
    snarkjs: 'added',
  },
  {
    name: 'gm17',
    value: { ...zokratesKey(KEY), scheme: 'gm17' },
    code: 'key.protocol',
    message: /scheme: .*got "gm17"/,
  },
  {
    name: 'bls12-381',
    value: { ...KEY, curve: 'bls12-381' },
    code: 'key.protocol',
    message: /curve: .*got "bls12-381"/,
  },
  {
    name: 'bls12_381 of ZoKrates',
    value: { ...zokratesKey(KEY), curve: 'bls12_381' },
    code: 'key.protocol',
    message: /curve: .*got "bls12_381"/,
  },
  {
    name: 'commitments in JSON of gnark',
    value: { ...gnarkJsonKey(KEY), CommitmentKeys: [{}] },
    code: 'key.protocol',
    message: /Pedersen commitments/,
  },
  {
    name: 'commitments in bytes of gnark',
    value: gnarkKey(KEY, false, committed),
    code: 'key.protocol',
    message: /Pedersen commitments/,
  },
  {
    name: 'commitments in compressed bytes of gnark',
    value: gnarkKey(KEY, true, committed),
    code: 'key.protocol',
    message: /Pedersen commitments/,
  },
  {
    name: 'a point of IC too few',
    value: { ...KEY, IC: KEY.IC.slice(1) },
    code: 'key.input_count',
    message: /IC: .*4 points.*got 3/,
    snarkjs: 'added',
  },
  { name: 'no IC', value: { ...KEY, IC: [] }, code: 'key.input_count', message: /IC: .*got 0/ },
  {
    name: 'four coordinates',
    value: { ...KEY, vk_alpha_1: [...KEY.vk_alpha_1, '1'] },
    code: 'key.not_json',
    message: /vk_alpha_1: .*array of 2 or 3 elements, got an array of 4/,
    snarkjs: 'added',
  },
  {
    name: 'three parts of a coordinate',
    value: { ...KEY, vk_gamma_2: [['1', '2', '3'], ...KEY.vk_gamma_2.slice(1)] },
    code: 'key.not_json',
    message: /vk_gamma_2\[0\]: .*array of 2 elements, got an array of 3/,
  },
  {
    name: 'a hole',
    value: { ...KEY, vk_alpha_1: holed(KEY.vk_alpha_1) },
    code: 'key.not_json',
    message: /vk_alpha_1\[1\]: .*got (null|nothing)/,
  },
  {
    name: 'no member',
    value: without(KEY, 'vk_gamma_2', 'IC'),
    code: 'key.not_json',
    message: /vk_gamma_2: .*got nothing/,
  },
  { name: 'an empty object', value: {}, code: 'key.not_json', message: /expected a key with vk_alpha_1/ },
  { name: 'text', value: 'no key', code: 'key.not_json', message: /"no key"/ },
  {
    name: 'JSON that ends early',
    value: '{"IC": [',
    code: 'key.not_json',
    message: /does not parse|got \d+ bytes|JSON/,
  },
  {
    name: 'a point with two readings',
    value: { ...KEY, vk_alpha_1: AMBIGUOUS },
    code: 'key.not_json',
    message: /vk_alpha_1: ambiguous: both/,
  },
  {
    name: 'a point with no reading',
    value: { ...KEY, IC: [['1', '2', '3'], ...KEY.IC.slice(1)] },
    code: 'key.not_json',
    message: /IC\[0\]: .*neither/,
  },
  {
    name: 'two faults',
    value: withPoints(KEY, ([x, , z]) => [x, x, z]),
    code: 'key.point_not_on_curve',
    message: /vk_alpha_1: .*also vk_beta_2: .*also vk_gamma_2: .*also vk_delta_2: .*4 more/,
  },
  ...KEY_FORMS.filter(({ name }) => /^(gnark|arkworks|bytes)/.test(name)).flatMap(({ name, write }) => {
    const value = write(KEY);
    return value instanceof Uint8Array ? resized(name, value, 'key.length') : [];
  }),
  ...resized('bytes again', keyBytes(KEY), 'key.length').slice(0, 1),
];

const with_ = (x: unknown): object => ({ ...PROOF, pi_a: [x, a[1], '1'] });
const GNARK = { tool: 'gnark', isCompressed: false } as const;
const COMPRESSED = { tool: 'gnark', isCompressed: true } as const;

/** Wrong proofs, of the signals of the true statement. */
export const WRONG_PROOFS: readonly Wrong[] = [
  {
    name: 'c0 and c1 of B in the other order',
    value: { ...PROOF, pi_b: b.map(([c0, c1], index) => (index < 2 ? [c1, c0] : [c0, c1])) },
    code: 'proof.point_not_on_curve',
    message: /other order/,
    snarkjs: 'false',
  },
  {
    name: 'Solidity’s arguments in the order of snarkjs',
    value: [a.slice(0, 2), b.slice(0, 2), c.slice(0, 2)],
    code: 'proof.point_not_on_curve',
    message: /other order/,
    snarkjs: 'false',
  },
  {
    name: 'hex without 0x',
    value: with_(BARE),
    code: 'proof.form',
    message: new RegExp(`pi_a\\[0\\]: .*got "${BARE.slice(0, 40)}…", which lacks 0x`),
    snarkjs: 'false',
  },
  {
    name: 'a JSON number from 2^53',
    value: with_(INEXACT),
    code: 'proof.form',
    message: /pi_a\[0\]: .*as text.*got 1152921504606847000/,
    snarkjs: 'false',
  },
  {
    name: 'a negative number',
    value: with_('-1'),
    code: 'proof.coordinate_range',
    message: /pi_a\[0\]: .*from 0, got "-1"/,
    snarkjs: 'false',
  },
  {
    name: 'more than 256 bits',
    value: with_(HUGE),
    code: 'proof.coordinate_range',
    message: /pi_a\[0\]: .*256 bits, got "1157/,
    snarkjs: 'false',
  },
  {
    name: 'p or more',
    value: with_(String((1n << 256n) - 1n)),
    code: 'proof.coordinate_range',
    message: /./,
    snarkjs: 'false',
  },
  {
    name: 'plonk',
    value: { ...PROOF, protocol: 'plonk' },
    code: 'proof.form',
    message: /protocol: .*got "plonk"/,
    snarkjs: 'valid',
  },
  {
    name: 'gm17',
    value: { ...zokratesProof(TRUE_STATEMENT), scheme: 'gm17' },
    code: 'proof.form',
    message: /scheme: .*got "gm17"/,
  },
  {
    name: 'bls12-381',
    value: { ...PROOF, curve: 'bls12-381' },
    code: 'proof.form',
    message: /curve: .*got "bls12-381"/,
    snarkjs: 'valid',
  },
  {
    name: 'bls12_381 of ZoKrates',
    value: { ...zokratesProof(TRUE_STATEMENT), curve: 'bls12_381' },
    code: 'proof.form',
    message: /curve: .*got "bls12_381"/,
    snarkjs: 'valid',
  },
  {
    name: 'commitments in JSON of gnark',
    value: { ...gnarkJsonProof(PROOF), Commitments: [{ X: '1', Y: '2' }] },
    code: 'proof.form',
    message: /Commitments: .*Pedersen commitments/,
  },
  ...[1, 2, 3].flatMap((commitments): Wrong[] => [
    {
      name: `${commitments} commitments in bytes of gnark`,
      value: join(binaryProof(PROOF, GNARK), gnarkTail(commitments, false)),
      code: 'proof.form',
      message: /Pedersen commitments/,
    },
    {
      name: `${commitments} commitments in compressed bytes of gnark`,
      value: join(binaryProof(PROOF, COMPRESSED), gnarkTail(commitments, true)),
      code: 'proof.form',
      message: /Pedersen commitments/,
    },
  ]),
  {
    name: 'four coordinates',
    value: { ...PROOF, pi_a: [...a, '1'] },
    code: 'proof.form',
    message: /pi_a: .*array of 2 or 3 elements, got an array of 4/,
    snarkjs: 'valid',
  },
  {
    name: 'one coordinate of B',
    value: { ...PROOF, pi_b: [b[0]] },
    code: 'proof.form',
    message: /pi_b: .*array of 2 or 3 elements, got an array of 1/,
  },
  {
    name: 'seven numbers',
    value: proofWords(PROOF).map(String).slice(1),
    code: 'proof.form',
    message: /got an array of 7/,
  },
  {
    name: 'nine numbers',
    value: [...proofWords(PROOF).map(String), '1'],
    code: 'proof.form',
    message: /got an array of 9/,
  },
  {
    name: 'five arguments',
    value: [...solidityArguments(PROOF), [], []],
    code: 'proof.form',
    message: /got an array of 5/,
  },
  {
    name: 'a hole',
    value: { ...PROOF, pi_a: holed(a) },
    code: 'proof.form',
    message: /pi_a\[1\]: .*got (null|nothing)/,
  },
  {
    name: 'a hole in eight numbers',
    value: holed(proofWords(PROOF).map(String)),
    code: 'proof.form',
    message: /\[1\]: .*got (null|nothing)/,
  },
  {
    name: 'no member',
    value: without(PROOF, 'pi_b', 'pi_c'),
    code: 'proof.form',
    message: /pi_b: .*got nothing/,
  },
  { name: 'an empty object', value: {}, code: 'proof.form', message: /expected a proof with pi_a/ },
  { name: 'text', value: 'no proof', code: 'proof.form', message: /"no proof"/ },
  {
    name: 'a point with two readings',
    value: { ...PROOF, pi_c: AMBIGUOUS },
    code: 'proof.form',
    message: /pi_c: ambiguous: both/,
    snarkjs: 'false',
  },
  {
    name: 'a point with no reading',
    value: { ...PROOF, pi_b: [b[0], b[1], ['3', '0']] },
    code: 'proof.form',
    message: /pi_b: .*neither/,
    snarkjs: 'false',
  },
  ...PROOF_FORMS.filter(({ name }) => /^(gnark|arkworks|selector|bytes|compressed)/.test(name)).flatMap(
    ({ name, write }) => {
      const value = write(TRUE_STATEMENT);
      return value instanceof Uint8Array ? resized(name, value, 'proof.length') : [];
    },
  ),
  ...resized('bytes again', proofBytes(PROOF), 'proof.length').slice(0, 1),
];

const signalsWith = (value: unknown): unknown[] => [value, ...SIGNALS.slice(1)];

/** Wrong public signals, of the true proof. */
export const WRONG_SIGNALS: readonly Wrong[] = [
  {
    name: 'one too few',
    value: SIGNALS.slice(1),
    code: 'input.count',
    message: /3 public signals, got 2/,
    snarkjs: 'false',
  },
  { name: 'one too many', value: [...SIGNALS, '1'], code: 'input.count', message: /3 public signals, got 4/ },
  {
    name: 'hex without 0x',
    value: signalsWith(BARE),
    code: 'input.form',
    message: new RegExp(`publicSignals\\[0\\]: .*got "${BARE.slice(0, 40)}…", which lacks 0x`),
  },
  {
    name: 'a JSON number from 2^53',
    value: signalsWith(INEXACT),
    code: 'input.form',
    message: /publicSignals\[0\]: .*as text.*got 1152921504606847000/,
    snarkjs: 'false',
  },
  {
    name: 'a negative number',
    value: signalsWith('-1'),
    code: 'input.range',
    message: /publicSignals\[0\]: .*from 0, got "-1"/,
    snarkjs: 'false',
  },
  {
    name: 'more than 256 bits',
    value: signalsWith(HUGE),
    code: 'input.range',
    message: /publicSignals\[0\]: .*256 bits, got "1157/,
    snarkjs: 'false',
  },
  {
    name: 'r',
    value: signalsWith(String(R)),
    code: 'input.range',
    message: /./,
    snarkjs: 'false',
  },
  {
    name: 'a hole',
    value: holed(SIGNALS),
    code: 'input.form',
    message: /publicSignals\[1\]: .*got (null|nothing)/,
  },
  { name: 'an object', value: { 0: '1', length: 1 }, code: 'input.form', message: /array of public signals/ },
  { name: 'text', value: 'no signals', code: 'input.form', message: /array of public signals/ },
  {
    name: '64 decimal digits',
    value: '1'.repeat(64),
    code: 'input.form',
    message: /ambiguous: .*decimal.*hex/,
  },
  ...resized('bytes', signalBytes(SIGNALS), 'input.count'),
];
