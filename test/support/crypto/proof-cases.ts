/**
 * Proofs for a known-trapdoor key in every class of spec/verification.md#proof-variants, each with its
 * verdict by construction.
 */
import { be32, fromBe, inverse, modulo, P, R, wordsOf } from './bn254.ts';
import {
  addTwist,
  compress,
  decompress,
  multiplyTwist,
  smallOrderPoints,
  type TwistPoint,
  twistPointAt,
} from './curve-reference.ts';
import { groups, scalarStream, type Trapdoor, trapdoorScalar } from './trapdoor.ts';

/** Verdict byte of a backend: 1 valid, 2 false, 3 decompression, 4 range, 5 curve, 6 subgroup, 7 input range. */
export type VerdictByte = 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface ProofCase {
  readonly name: string;
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  readonly expected: VerdictByte;
}

type Words = bigint[];

const bytesOf = (words: readonly bigint[]): Uint8Array => Buffer.concat(words.map(be32));
const negated = (value: bigint): bigint => (value === 0n ? 0n : P - value);
const setAt = (words: Words, changes: Readonly<Record<number, bigint>>): Words =>
  words.map((word, index) => changes[index] ?? word);
const twistWords = (point: TwistPoint): bigint[] =>
  point ? [point.x[1], point.x[0], point.y[1], point.y[0]] : [0n, 0n, 0n, 0n];

/** Input of a class to make one case. */
interface Draft {
  readonly key: Trapdoor;
  readonly next: () => bigint;
  readonly inputs: bigint[];
  readonly a: bigint;
  readonly b: bigint;
  /** A valid proof of `inputs`. */
  readonly words: Words;
  readonly groups: Awaited<ReturnType<typeof groups>>;
  readonly outsiders: readonly TwistPoint[];
}

interface DraftedCase {
  readonly words: Words;
  readonly inputs?: bigint[];
  readonly expected: VerdictByte;
}

const modR = (value: bigint): bigint => modulo(value, R);
const padded = (compressed: readonly bigint[]): Words => [...compressed, 0n, 0n, 0n, 0n];
const pick = <T>(list: readonly T[], draw: bigint): T => list[Number(draw % BigInt(list.length))] as T;
const gammaPart = (draft: Draft): bigint =>
  modR(-draft.key.solve(draft.inputs, 0n, 0n) * trapdoorScalar('delta'));

/** A valid proof changed without knowledge of the witness: (s⁻¹A, sB + s·t·δ, C + tA). */
function malleated({ key, next, inputs, a, b, groups: { g1, g2 } }: Draft): DraftedCase {
  const [s, t] = [next(), next()];
  const c = key.solve(inputs, a, b) + t * a;
  const words = wordsOf(
    Buffer.concat([g1(a * inverse(s, R)), g2(s * b + s * t * trapdoorScalar('delta')), g1(c)]),
  );
  return { words, expected: 1 };
}

function withOutsideB({ words, outsiders, next }: Draft): DraftedCase {
  return {
    words: [...words.slice(0, 2), ...twistWords(pick(outsiders, next())), ...words.slice(6)],
    expected: 6,
  };
}

/** B outside the subgroup and A at infinity: the equation holds, so only the subgroup check can refuse it. */
function forgery({ key, inputs, outsiders, next, groups: { g1 } }: Draft): DraftedCase {
  const c = wordsOf(Buffer.concat([new Uint8Array(192), g1(key.solve(inputs, 0n, 0n))])).slice(6);
  return {
    words: [0n, 0n, ...twistWords(pick(outsiders, next())), ...c],
    expected: 6,
  };
}

/** Makes cases with this verdict, of the inputs of the draft unless it has others. */
const is =
  (
    expected: VerdictByte,
    words: (draft: Draft) => Words,
    inputs: (draft: Draft) => bigint[] = (draft) => draft.inputs,
  ) =>
  (draft: Draft): DraftedCase => ({ words: words(draft), inputs: inputs(draft), expected });
/** Compresses the proof of a draft, and changes its words. */
const compressedTo =
  (change: (a: bigint, b1: bigint, b0: bigint, c: bigint) => bigint[]) =>
  ({ words }: Draft): Words => {
    const [a, b1, b0, c] = compress(words) as [bigint, bigint, bigint, bigint];
    return padded(change(a, b1, b0, c));
  };
const valid = ({ words }: Draft): Words => words;
const changeOne = ({ inputs, next }: Draft, change: (input: bigint) => bigint): bigint[] => {
  const at = Number(next() % BigInt(inputs.length));
  return inputs.map((x, i) => (i === at ? change(x) : x));
};
const withR = ({ inputs }: Draft): bigint[] => [R, ...inputs.slice(1)];

/** Functions that make one case, by the name of the class. */
const CLASSES: Readonly<Record<string, (draft: Draft) => DraftedCase>> = {
  valid: is(1, valid),
  'valid, another public input zero or r-1': ({ key, inputs, a, b, next }) => {
    const edge = [...inputs.slice(0, 2), pick([0n, 1n, R - 1n], next()), ...inputs.slice(3)];
    return { words: wordsOf(key.prove(edge, a, b)), inputs: edge, expected: 1 };
  },
  'valid, compressed': is(1, ({ words }) => padded(compress(words))),
  'valid, A and B negated': is(1, ({ words: w }) =>
    setAt(w, { 1: negated(w[1] as bigint), 4: negated(w[4] as bigint), 5: negated(w[5] as bigint) }),
  ),
  'valid, malleated': malleated,
  'valid, A at infinity': is(1, ({ key, inputs, b }) => wordsOf(key.prove(inputs, 0n, b))),
  'valid, B at infinity': is(1, ({ key, inputs, a }) => wordsOf(key.prove(inputs, a, 0n))),
  'valid, C at infinity': is(1, (draft) => {
    const b = modR(gammaPart(draft) * inverse(draft.a, R));
    return wordsOf(draft.key.prove(draft.inputs, draft.a, b));
  }),
  'C moved by one': is(2, ({ key, inputs, a, b }) => wordsOf(key.prove(inputs, a, b, true))),
  'C moved by one, compressed': is(2, ({ key, inputs, a, b }) =>
    padded(compress(wordsOf(key.prove(inputs, a, b, true)))),
  ),
  'only A negated': is(2, ({ words }) => setAt(words, { 1: negated(words[1] as bigint) })),
  'only B negated, compressed': is(
    2,
    compressedTo((a, b1, b0, c) => [a, b1, b0 ^ 1n, c]),
  ),
  'one input changed': is(2, valid, (draft) => changeOne(draft, (x) => (x + 1n) % R)),
  'C replaced by A': is(2, ({ words }) => [...words.slice(0, 6), ...words.slice(0, 2)]),
  'A replaced by infinity': is(2, ({ words }) => [0n, 0n, ...words.slice(2)]),
  'B replaced by infinity': is(2, ({ words }) => setAt(words, { 2: 0n, 3: 0n, 4: 0n, 5: 0n })),
  'C replaced by infinity': is(2, ({ words }) => [...words.slice(0, 6), 0n, 0n]),
  'eight zero words': is(2, () => [0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n]),
  'w4 to w7 zeroed': ({ words }) => {
    const zeroed = padded(words.slice(0, 4));
    // Some such words decompress by chance; B is then a random point of the twist, outside the subgroup.
    return { words: zeroed, expected: decompress(zeroed) ? 6 : 3 };
  },
  'compressed, hint flipped': is(
    3,
    compressedTo((a, b1, b0, c) => [a, b1, b0 ^ 2n, c]),
  ),
  'compressed, a >> 1 = p': is(
    3,
    compressedTo((_, ...rest) => [P << 1n, ...rest]),
  ),
  'compressed, a >> 1 = 4, which has no root': is(
    3,
    compressedTo((_, ...rest) => [8n, ...rest]),
  ),
  'compressed, B outside the subgroup': ({ words, outsiders, next }) => {
    const outside = [...words.slice(0, 2), ...twistWords(pick(outsiders, next())), ...words.slice(6)];
    return { words: padded(compress(outside)), expected: 6 };
  },
  'A off the curve': is(5, ({ words, next }) => setAt(words, { 1: next() % P })),
  'B off the curve': is(5, ({ words, next }) => setAt(words, { 4: next() % P })),
  'C.y = 123456': is(5, ({ words }) => setAt(words, { 7: 123456n })),
  'A half at infinity': is(5, ({ words }) => setAt(words, { 1: 0n })),
  'c0 and c1 of B swapped': is(
    5,
    ({ words: w }) => [w[0], w[1], w[3], w[2], w[5], w[4], w[6], w[7]] as Words,
  ),
  'the words of B before those of A': is(
    5,
    ({ words: w }) => [w[2], w[3], w[4], w[5], w[0], w[1], w[6], w[7]] as Words,
  ),
  'B outside the subgroup': withOutsideB,
  'forgery: B outside the subgroup, the equation holds': forgery,
  'a coordinate at least p': is(4, ({ words, next }) => {
    const at = Number(next() % 8n);
    return setAt(words, { [at]: (words[at] as bigint) + P });
  }),
  'a coordinate p itself': is(4, ({ words, next }) => setAt(words, { [Number(next() % 8n)]: P })),
  'an input at least r': is(7, valid, (draft) => changeOne(draft, (x) => x + R)),
  'an input r itself': is(7, valid, withR),
  'order: range before curve': is(4, ({ words }) => setAt(words, { 0: P, 7: 123456n }), withR),
  'order: curve of C before subgroup of B': is(5, (draft) =>
    setAt(withOutsideB(draft).words, { 7: 123456n }),
  ),
  'order: subgroup before input range': (draft) => ({
    ...withOutsideB(draft),
    inputs: [...draft.inputs.slice(0, -1), R],
  }),
  'order: decompression before input range': is(
    3,
    compressedTo((_, ...rest) => [P << 1n, ...rest]),
    withR,
  ),
};

/** Names of all classes. */
export const CASE_CLASSES: readonly string[] = Object.keys(CLASSES);

/** Twist points outside G2: of each small order, sums with a point of G2, and cofactor points. */
async function outsidePoints(next: () => bigint): Promise<TwistPoint[]> {
  const { g2 } = await groups();
  const small = smallOrderPoints().map(({ point }) => point);
  const inside = (): TwistPoint => {
    const bytes = g2(next());
    const [x1, x0, y1, y0] = [0, 32, 64, 96].map((at) => fromBe(bytes.subarray(at, at + 32)));
    return { x: [x0 as bigint, x1 as bigint], y: [y0 as bigint, y1 as bigint] };
  };
  const random = [4n, 7n, 11n, 23n, 31n]
    .map((x) => twistPointAt([x, 5n]))
    .filter((point) => point !== undefined);
  return [
    ...small,
    ...small.map((point) => multiplyTwist(point, (next() % 10000n) + 2n)),
    ...small.map((point) => addTwist(point, inside())),
    addTwist(small[0], small[1]),
    ...random,
    ...random.map((point) => multiplyTwist(point, R)),
  ].filter((point) => point !== undefined);
}

let outsiders: Promise<TwistPoint[]> | undefined;

/**
 * Yields `count` cases, cycling through the classes; the same seed yields the same cases.
 *
 * @param key - With at least four inputs.
 */
export async function* proofCases(key: Trapdoor, count: number, seed: string): AsyncGenerator<ProofCase> {
  const next = scalarStream(seed);
  const loaded = await groups();
  // finding these takes seconds, so they are shared; the seed of a case selects among them
  outsiders ??= outsidePoints(scalarStream('outside points'));
  for (let index = 0; index < count; index++) {
    const name = pick(CASE_CLASSES, BigInt(index));
    const inputs = Array.from({ length: key.inputCount }, () => next());
    const [a, b] = [next(), next()];
    const draft: Draft = {
      key,
      next,
      inputs,
      a,
      b,
      words: wordsOf(key.prove(inputs, a, b)),
      groups: loaded,
      outsiders: await outsiders,
    };
    const drafted = (CLASSES[name] as (draft: Draft) => DraftedCase)(draft);
    yield {
      name,
      proof: bytesOf(drafted.words),
      inputs: bytesOf(drafted.inputs ?? inputs),
      expected: drafted.expected,
    };
  }
}
