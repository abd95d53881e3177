/** Cases in which the answers differ (src/docs/library.md#differences-from-snarkjs). */
import { be32, P } from '../crypto/bn254.ts';
import {
  type CaseClass,
  type Draft,
  differs,
  pick,
  plus,
  type Spelling,
  spellCoordinate,
  spellSignal,
  useStatement,
  useTrapdoor,
} from './draft.ts';

const BOTH = ['true', 'false'] as const;

/** The coordinates (x·z, y·z, z) of a point; those of snarkjs are (x·z², y·z³, z). */
function homogeneous({ proof: { pi_a }, next }: Draft): void {
  const z = next();
  const [x = '', y = ''] = pi_a;
  pi_a.splice(0, 3, `${(BigInt(x) * z) % P}`, `${(BigInt(y) * z) % P}`, `${z}`);
}

/** Uses one fixed statement, so that changed keys are few. */
function fixed(draft: Draft): void {
  const statement = draft.pool.statements[5];
  if (statement) useStatement(draft, statement);
}

const G1_INFINITY = ['0', '1', '0'];
const G2_INFINITY = [
  ['0', '0'],
  ['1', '0'],
  ['0', '0'],
];
const G2_MEMBERS = ['vk_beta_2', 'vk_gamma_2', 'vk_delta_2'] as const;

/** Proofs that do not prove anything, or only by chance. */
const FORGED: readonly CaseClass[] = [
  differs('B outside the subgroup, the equation holds', 'false', ['true'], (draft) => {
    useTrapdoor(draft, undefined, () => [0n, draft.next()]);
    draft.proof.pi_b = structuredClone(pick(draft, draft.pool.outsiders)) as string[][];
  }),
  differs('a forged proof under a forgeable key', 'rejects', ['true'], (draft) => {
    const { key, signals, proof } = pick(draft, draft.pool.forgeable);
    useStatement(draft, { key, signals, proof });
  }),
  differs('last signals zero and left out', 'false', ['true'], (draft) => {
    useTrapdoor(draft, (inputs) => {
      inputs[inputs.length - 1] = 0n;
    });
    draft.signals.pop();
  }),
];

const negativeBigint: Spelling = (value) => -BigInt(value);

/** Numbers that snarkjs reduces, cuts, or reads as other numbers. */
const NUMBERS: readonly CaseClass[] = [
  differs('a coordinate plus p', 'false', ['true'], (draft) => spellCoordinate(draft, plus(P))),
  differs('a coordinate plus 2p', 'false', ['true'], (draft) => spellCoordinate(draft, plus(2n * P))),
  differs('a coordinate plus 2²⁵⁶', 'false', ['true'], (draft) => spellCoordinate(draft, plus(2n ** 256n))),
  differs('a negative bigint as coordinate', 'false', BOTH, (draft) =>
    spellCoordinate(draft, negativeBigint),
  ),
  differs('a coordinate in hex without 0x', 'false', BOTH, (draft) =>
    spellCoordinate(draft, (value) => BigInt(value).toString(16)),
  ),
  differs('a coordinate or signal in hex with 0X', 'true', BOTH, (draft) => {
    const spelling: Spelling = (value) => `0X${BigInt(value).toString(16)}`;
    if (pick(draft, [true, false])) spellCoordinate(draft, spelling);
    else spellSignal(draft, spelling);
  }),
  differs('a third coordinate of 1 + p, 1 + 2²⁵⁶, "1 " or [1]', 'false', ['true'], (draft) => {
    const third = pick(draft, [`${P + 1n}`, `${2n ** 256n + 1n}`, '1 ', [1]]);
    Object.assign(pick(draft, [draft.proof.pi_a, draft.proof.pi_c]), { 2: third });
  }),
  differs('projective coordinates (x·z, y·z, z)', 'true', ['false'], homogeneous),
  differs('a signal as 32 bytes', 'true', ['rejects'], (draft) => {
    spellSignal(draft, (value) => Uint8Array.from(be32(BigInt(value))));
  }),
  differs('a signal of another spelling', 'false', BOTH, (draft) => {
    const spellings: readonly Spelling[] = [
      (value) => `${value} `,
      (value) => ` ${value}`,
      (value) => `+${value}`,
      (value) => `0b${BigInt(value).toString(2)}`,
      (value) => [value],
      () => true,
      () => false,
      () => '',
      () => [],
    ];
    spellSignal(draft, pick(draft, spellings));
  }),
];

/** Values that are no arrays, where snarkjs takes whatever has the members. */
const TYPES: readonly CaseClass[] = [
  differs('signals that are no array', 'rejects', BOTH, (draft) => {
    const { signals } = draft;
    Object.assign(draft, {
      signals: pick<unknown>(draft, [7, '7', {}, { ...signals, length: signals.length }]),
    });
  }),
  differs('a point that is no array', 'rejects', BOTH, ({ proof }) => {
    Object.assign(proof, { pi_a: { ...proof.pi_a } });
  }),
];

/** What other tools write, or leave out. */
const WIDER: readonly CaseClass[] = [
  differs('a key without curve', 'true', ['rejects'], (draft) => {
    Object.assign(draft.key, { curve: pick(draft, [undefined, null]) });
  }),
  differs('a key, proof or signals as text of JSON', 'true', ['rejects'], (draft) => {
    const member = pick(draft, ['key', 'proof', 'signals'] as const);
    Object.assign(draft, { [member]: JSON.stringify(draft[member]) });
  }),
];

/** Keys that no setup makes. */
const KEYS: readonly CaseClass[] = [
  differs('one point in IC more than signals', 'false', ['true'], (draft) => {
    fixed(draft);
    draft.key.IC.push(draft.key.IC[0] as string[]);
  }),
  differs('α, β, γ or δ infinite', 'rejects', BOTH, (draft) => {
    fixed(draft);
    const member = pick(draft, [...G2_MEMBERS, 'vk_alpha_1'] as const);
    Object.assign(draft.key, { [member]: member === 'vk_alpha_1' ? G1_INFINITY : G2_INFINITY });
  }),
  differs('a point of the key off its curve', 'rejects', BOTH, (draft) => {
    fixed(draft);
    Object.assign(pick(draft, [draft.key.vk_alpha_1, ...draft.key.IC]), { 0: '5' });
  }),
  differs('β, γ or δ outside the subgroup', 'rejects', BOTH, (draft) => {
    fixed(draft);
    draft.key[pick(draft, G2_MEMBERS)] = structuredClone(draft.pool.outsiders[0]) as string[][];
  }),
  differs('a coordinate of the key plus p', 'rejects', ['true'], (draft) => {
    fixed(draft);
    const point = pick(draft, [draft.key.vk_alpha_1, ...draft.key.IC]);
    point[0] = plus(P)(point[0] as string) as string;
  }),
  differs('a coordinate of the key of another type', 'rejects', BOTH, (draft) => {
    fixed(draft);
    Object.assign(pick(draft, draft.key.IC), { 1: pick(draft, ['', true, {}, '-1', 'xyz', [7]]) });
  }),
  differs('a key of BLS12-381', 'rejects', ['false'], (draft) => {
    draft.key.curve = 'bls12381';
  }),
];

/** Classes in which the answers may differ. */
export const DIFFERENT_CLASSES: readonly CaseClass[] = [...FORGED, ...NUMBERS, ...TYPES, ...WIDER, ...KEYS];
