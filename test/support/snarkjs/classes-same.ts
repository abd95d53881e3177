/** Cases whose verdict both agree on: valid and false proofs, and values at which both throw. */
import { P, R } from '../crypto/bn254.ts';
import {
  asHex,
  below,
  type CaseClass,
  type Draft,
  negated,
  pick,
  plus,
  plusOne,
  type Spelling,
  same,
  spellCoordinate,
  spellKey,
  spellProof,
  spellSignal,
  useStatement,
  useTrapdoor,
} from './draft.ts';

const leadingZeros: Spelling = (value) => `000${value}`;
const asBigint: Spelling = BigInt;
const asNumber: Spelling = (value) => (BigInt(value) < 2n ** 53n ? Number(value) : BigInt(value));
const affine = (point: readonly unknown[]): unknown => point.slice(0, 2);
const longer = (point: readonly unknown[]): unknown => [...point, '7'];

function reshape(draft: Draft, change: (point: readonly unknown[]) => unknown): void {
  const { pi_a, pi_b, pi_c } = draft.proof;
  Object.assign(draft.proof, { pi_a: change(pi_a), pi_b: change(pi_b), pi_c: change(pi_c) });
}

function reshapeKey({ key }: Draft, change: (point: readonly unknown[]) => unknown): void {
  const { vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2, IC } = key;
  Object.assign(key, {
    vk_alpha_1: change(vk_alpha_1),
    vk_beta_2: change(vk_beta_2),
    vk_gamma_2: change(vk_gamma_2),
    vk_delta_2: change(vk_delta_2),
    IC: IC.map(change),
  });
}

/** Coordinates (x·z², y·z³, z) of an affine point. */
function projective({ proof: { pi_a }, next }: Draft): void {
  const z = next();
  const [x = '', y = ''] = pi_a;
  pi_a.splice(0, 3, `${(BigInt(x) * z * z) % P}`, `${(BigInt(y) * z * z * z) % P}`, `${z}`);
}

/** Uses one fixed statement, so that changed keys are few: the engine prepares each. */
const fixed = (draft: Draft): void => {
  const statement = draft.pool.statements[5];
  if (statement) useStatement(draft, statement);
};
const ofKey =
  (change: (draft: Draft) => void): CaseClass['change'] =>
  (draft) => {
    fixed(draft);
    change(draft);
  };

const VALID: readonly CaseClass[] = [
  same('valid', 'true', () => undefined),
  same('valid, known trapdoor', 'true', (draft) => useTrapdoor(draft)),
  same('valid, signals 0, 1 or r − 1', 'true', (draft) =>
    useTrapdoor(draft, (inputs) => {
      inputs.forEach((_, at) => {
        inputs[at] = pick(draft, [0n, 1n, R - 1n]);
      });
    }),
  ),
  same('valid, A and B negated', 'true', ({ proof }) => {
    proof.pi_a[1] = negated(proof.pi_a[1] as string) as string;
    proof.pi_b[1] = (proof.pi_b[1] as string[]).map(negated) as string[];
  }),
  same('valid, A infinite', 'true', (draft) => useTrapdoor(draft, undefined, () => [0n, draft.next()])),
  same('valid, A infinite as [x, y, 0]', 'true', (draft) => {
    useTrapdoor(draft, undefined, () => [0n, draft.next()]);
    draft.proof.pi_a = ['7', `${draft.next()}`, '0'];
  }),
  same('valid, A infinite as [0, 0, 1]', 'true', (draft) => {
    useTrapdoor(draft, undefined, () => [0n, draft.next()]);
    draft.proof.pi_a = ['0', '0', '1'];
  }),
  same('valid, C infinite', 'true', (draft) =>
    useTrapdoor(draft, undefined, (base, inputs) => {
      const a = draft.next();
      return [a, base.bOfInfiniteC(inputs, a)];
    }),
  ),
  same('valid, degenerate key', 'true', (draft) => useStatement(draft, pick(draft, draft.pool.degenerate))),
  same('valid, signals as bigints', 'true', (draft) => {
    draft.signals = draft.signals.map(asBigint) as string[];
  }),
  same('valid, small signals as numbers', 'true', (draft) => {
    draft.signals = draft.signals.map(asNumber) as string[];
  }),
  same('valid, signals in hex or with leading zeros', 'true', (draft) => {
    draft.signals = draft.signals.map(pick(draft, [asHex, leadingZeros])) as string[];
  }),
  same('valid, proof in bigints', 'true', (draft) => spellProof(draft, asBigint)),
  same('valid, proof in hex', 'true', (draft) => spellProof(draft, asHex)),
  same('valid, proof with leading zeros', 'true', (draft) => spellProof(draft, leadingZeros)),
  same('valid, one coordinate in hex', 'true', (draft) => spellCoordinate(draft, asHex)),
  same('valid, points without third coordinate', 'true', (draft) => reshape(draft, affine)),
  same('valid, points of four coordinates', 'true', (draft) => reshape(draft, longer)),
  same('valid, projective coordinates', 'true', projective),
  same('valid, no protocol and curve', 'true', ({ proof }) => {
    delete proof.protocol;
    delete proof.curve;
  }),
  same('valid, other protocol and curve in the proof', 'true', ({ proof }) => {
    Object.assign(proof, { protocol: 'plonk', curve: 'bls12381', extra: [null] });
  }),
  same(
    'valid, key in hex',
    'true',
    ofKey((draft) => spellKey(draft, asHex)),
  ),
  same(
    'valid, key in bigints',
    'true',
    ofKey((draft) => spellKey(draft, asBigint)),
  ),
  same(
    'valid, key with leading zeros',
    'true',
    ofKey((draft) => spellKey(draft, leadingZeros)),
  ),
  same(
    'valid, key points without third coordinate',
    'true',
    ofKey((draft) => reshapeKey(draft, affine)),
  ),
  same('valid, nPublic absent or wrong', 'true', (draft) => {
    Object.assign(draft.key, { nPublic: pick(draft, [undefined, 0, 99, '2', null]) });
  }),
  same('valid, protocol of the key absent or wrong', 'true', (draft) => {
    Object.assign(draft.key, { protocol: pick(draft, [undefined, 'plonk', null]) });
  }),
  same('valid, other names of the curve', 'true', (draft) => {
    draft.key.curve = pick(draft, ['bn254', 'BN128', 'alt_bn128', 'bn-128', 'BN-254', 'altbn128']);
  }),
];

const FALSE: readonly CaseClass[] = [
  same('one signal plus one', 'false', (draft) => spellSignal(draft, plusOne)),
  same('one signal replaced', 'false', (draft) => spellSignal(draft, () => `${draft.next()}`)),
  same('two signals swapped', 'false', (draft) => {
    useTrapdoor(draft, undefined);
    const [one = '', other = `${draft.next()}`, ...rest] = draft.signals;
    draft.signals = draft.signals.length > 1 ? [other, one, ...rest] : [other];
  }),
  same('one coordinate replaced', 'false', (draft) => spellCoordinate(draft, () => `${draft.next()}`)),
  same('one coordinate plus one', 'false', (draft) =>
    spellCoordinate(draft, (value) => `${(BigInt(value) + 1n) % P}`),
  ),
  same('A negated', 'false', ({ proof: { pi_a } }) => {
    pi_a[1] = negated(pi_a[1] as string) as string;
  }),
  same('C replaced by A', 'false', ({ proof }) => {
    proof.pi_c = proof.pi_a;
  }),
  same('A and C swapped', 'false', ({ proof }) => {
    [proof.pi_a, proof.pi_c] = [proof.pi_c, proof.pi_a];
  }),
  same('c0 and c1 of B swapped', 'false', ({ proof }) => {
    proof.pi_b = proof.pi_b.map(([c0 = '', c1 = ''], at) => (at < 2 ? [c1, c0] : [c0, c1]));
  }),
  same('B of another proof', 'false', (draft) => {
    const { proof } = draft;
    useTrapdoor(draft);
    draft.proof.pi_b = proof.pi_b;
  }),
  same('the key of another circuit', 'false', (draft) => {
    const { proof } = draft;
    useTrapdoor(draft);
    draft.proof = proof;
  }),
  same('one point infinite', 'false', ({ proof, ...draft }) => {
    const point = below({ ...draft, proof }, 3);
    if (point === 0) proof.pi_a = ['0', '1', '0'];
    else if (point === 1) proof.pi_c = ['0', '1', '0'];
    else
      proof.pi_b = [
        ['0', '0'],
        ['1', '0'],
        ['0', '0'],
      ];
  }),
  same('valid but for snarkjs, B infinite', 'false', (draft) =>
    useTrapdoor(draft, undefined, () => [draft.next(), 0n]),
  ),
  same('a signal r', 'false', (draft) => spellSignal(draft, () => `${R}`)),
  same('a signal plus r, as text, hex or bigint', 'false', (draft) =>
    spellSignal(draft, (value) => pick(draft, [String, asHex, asBigint])(plus(R)(value) as string)),
  ),
  same('a signal beyond 256 bits', 'false', (draft) => spellSignal(draft, plus(2n ** 256n))),
  same('a negative signal', 'false', (draft) =>
    spellSignal(draft, (value) => pick(draft, [asBigint, String])(`${BigInt(value) - R}`)),
  ),
  same('a negative coordinate as text', 'false', (draft) =>
    spellCoordinate(draft, (value) => `-${value === '0' ? '1' : value}`),
  ),
  same('too few signals, none of them zero', 'false', (draft) => {
    useTrapdoor(draft);
    draft.signals.pop();
  }),
  same('a coordinate as a rounded number', 'false', (draft) => spellCoordinate(draft, Number)),
  same('a coordinate of another type', 'false', (draft) =>
    spellCoordinate(draft, () => pick(draft, [true, {}, [], '', 'xyz', ' 1 '])),
  ),
  same('B outside the subgroup', 'false', (draft) => {
    draft.proof.pi_b = structuredClone(pick(draft, draft.pool.outsiders)) as string[][];
  }),
  same('a third coordinate of another type or text', 'false', (draft) => {
    const third = pick(draft, [true, false, '', '-1', ' 1', 'abc', {}, '0b1']);
    Object.assign(pick(draft, [draft.proof.pi_a, draft.proof.pi_c]), { 2: third });
  }),
  same('a third coordinate above 1', 'false', (draft) => {
    Object.assign(draft.proof.pi_c, { 2: `${(draft.next() % (P - 2n)) + 2n}` });
  }),
];

const REJECTED: readonly CaseClass[] = [
  same('no proof', 'rejects', (draft) => {
    Object.assign(draft, { proof: pick(draft, [null, undefined, 5, 'proof', [], {}]) });
  }),
  same('no key', 'rejects', (draft) => {
    Object.assign(draft, { key: pick(draft, [null, undefined, 5, 'key', [], {}]) });
  }),
  same('no signals', 'rejects', (draft) => {
    Object.assign(draft, { signals: pick(draft, [null, undefined]) });
  }),
  same('a member of the proof absent', 'rejects', (draft) => {
    Object.assign(draft.proof, {
      [pick(draft, ['pi_a', 'pi_b', 'pi_c'])]: pick(draft, [undefined, null, [], ['1']]),
    });
  }),
  same('a member of the key absent', 'rejects', (draft) => {
    const member = pick(draft, ['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2', 'IC']);
    Object.assign(draft.key, { [member]: pick(draft, [undefined, null, []]) });
  }),
  same('a coordinate null', 'rejects', (draft) =>
    spellCoordinate(draft, () => pick(draft, [null, undefined])),
  ),
  same('a third coordinate null', 'rejects', ({ proof }) => {
    Object.assign(proof.pi_c, { 2: null });
  }),
  same('a signal that is no number', 'rejects', (draft) =>
    spellSignal(draft, () => pick(draft, [null, undefined, 5.5, Number.NaN, 'abc', '1e3', '0x', {}, '5.0'])),
  ),
  same('too many signals', 'rejects', (draft) => {
    draft.signals.push('0');
  }),
  same(
    'too few points in IC',
    'rejects',
    ofKey(({ key }) => void key.IC.pop()),
  ),
  same('an unknown curve', 'rejects', (draft) => {
    Object.assign(draft.key, { curve: pick(draft, ['secp256k1', '', '0x12', 5, 'bn12', []]) });
  }),
];

/** Valid and false proofs in the plain form of snarkjs, which half of all cases have. */
export const PLAIN_CLASSES: readonly CaseClass[] = [...VALID.slice(0, 4), ...FALSE.slice(0, 12)];
/** Classes in which both answer the same. */
export const SAME_CLASSES: readonly CaseClass[] = [...VALID, ...FALSE, ...REJECTED];
