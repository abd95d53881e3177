/**
 * Proofs for a known-trapdoor key in every class of spec/verification.md#proof-variants, each with its
 * verdict by construction.
 */
import { be32, fromBe, P, R } from './bn254.ts';
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

const wordsOf = (proof: Uint8Array): Words =>
  Array.from({ length: 8 }, (_, index) => fromBe(proof.subarray(index * 32, index * 32 + 32)));
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

const inverse = (value: bigint): bigint => {
  let [result, base] = [1n, value % R];
  for (let e = R - 2n; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * base) % R;
    base = (base * base) % R;
  }
  return result;
};
const modR = (value: bigint): bigint => ((value % R) + R) % R;
const padded = (compressed: readonly bigint[]): Words => [...compressed, 0n, 0n, 0n, 0n];
const pick = <T>(list: readonly T[], draw: bigint): T => list[Number(draw % BigInt(list.length))] as T;
const gammaPart = (draft: Draft): bigint =>
  modR(-draft.key.solve(draft.inputs, 0n, 0n) * trapdoorScalar('delta'));

/** A valid proof changed without knowledge of the witness: (s⁻¹A, sB + s·t·δ, C + tA). */
function malleated({ key, next, inputs, a, b, groups: { g1, g2 } }: Draft): DraftedCase {
  const [s, t] = [next(), next()];
  const c = key.solve(inputs, a, b) + t * a;
  const words = wordsOf(
    Buffer.concat([g1(a * inverse(s)), g2(s * b + s * t * trapdoorScalar('delta')), g1(c)]),
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

/** Functions that make one case, by the name of the class. */
const CLASSES: Readonly<Record<string, (draft: Draft) => DraftedCase>> = {
  valid: ({ words }) => ({ words, expected: 1 }),
  'valid, another public input zero or r-1': ({ key, inputs, a, b, next }) => {
    const edge = [...inputs.slice(0, 2), pick([0n, 1n, R - 1n], next()), ...inputs.slice(3)];
    return { words: wordsOf(key.prove(edge, a, b)), inputs: edge, expected: 1 };
  },
  'valid, compressed': ({ words }) => ({
    words: padded(compress(words)),
    expected: 1,
  }),
  'valid, A and B negated': ({ words: w }) => ({
    words: setAt(w, {
      1: negated(w[1] as bigint),
      4: negated(w[4] as bigint),
      5: negated(w[5] as bigint),
    }),
    expected: 1,
  }),
  'valid, malleated': malleated,
  'valid, A at infinity': ({ key, inputs, b }) => ({
    words: wordsOf(key.prove(inputs, 0n, b)),
    expected: 1,
  }),
  'valid, B at infinity': ({ key, inputs, a }) => ({
    words: wordsOf(key.prove(inputs, a, 0n)),
    expected: 1,
  }),
  'valid, C at infinity': (draft) => {
    const b = modR(gammaPart(draft) * inverse(draft.a));
    return {
      words: wordsOf(draft.key.prove(draft.inputs, draft.a, b)),
      expected: 1,
    };
  },
  'C moved by one': ({ key, inputs, a, b }) => ({
    words: wordsOf(key.prove(inputs, a, b, true)),
    expected: 2,
  }),
  'C moved by one, compressed': ({ key, inputs, a, b }) => ({
    words: padded(compress(wordsOf(key.prove(inputs, a, b, true)))),
    expected: 2,
  }),
  'only A negated': ({ words }) => ({
    words: setAt(words, { 1: negated(words[1] as bigint) }),
    expected: 2,
  }),
  'only B negated, compressed': ({ words }) => {
    const c = compress(words);
    return {
      words: padded([c[0], c[1], (c[2] as bigint) ^ 1n, c[3]] as bigint[]),
      expected: 2,
    };
  },
  'one input changed': ({ words, inputs, next }) => {
    const at = Number(next() % BigInt(inputs.length));
    return {
      words,
      inputs: inputs.map((x, i) => (i === at ? (x + 1n) % R : x)),
      expected: 2,
    };
  },
  'C replaced by A': ({ words }) => ({
    words: [...words.slice(0, 6), ...words.slice(0, 2)],
    expected: 2,
  }),
  'A replaced by infinity': ({ words }) => ({
    words: [0n, 0n, ...words.slice(2)],
    expected: 2,
  }),
  'B replaced by infinity': ({ words }) => ({
    words: setAt(words, { 2: 0n, 3: 0n, 4: 0n, 5: 0n }),
    expected: 2,
  }),
  'C replaced by infinity': ({ words }) => ({
    words: [...words.slice(0, 6), 0n, 0n],
    expected: 2,
  }),
  'eight zero words': () => ({
    words: [0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n],
    expected: 2,
  }),
  'w4 to w7 zeroed': ({ words }) => {
    const zeroed = padded(words.slice(0, 4));
    // Some such words decompress by chance; B is then a random point of the twist, outside the subgroup.
    return { words: zeroed, expected: decompress(zeroed) ? 6 : 3 };
  },
  'compressed, hint flipped': ({ words }) => {
    const c = compress(words);
    return {
      words: padded([c[0], c[1], (c[2] as bigint) ^ 2n, c[3]] as bigint[]),
      expected: 3,
    };
  },
  'compressed, a >> 1 = p': ({ words }) => {
    const c = compress(words);
    return { words: padded([P << 1n, ...c.slice(1)]), expected: 3 };
  },
  'compressed, a >> 1 = 4, which has no root': ({ words }) => {
    const c = compress(words);
    return { words: padded([8n, ...c.slice(1)]), expected: 3 };
  },
  'compressed, B outside the subgroup': ({ words, outsiders, next }) => {
    const outside = [...words.slice(0, 2), ...twistWords(pick(outsiders, next())), ...words.slice(6)];
    return { words: padded(compress(outside)), expected: 6 };
  },
  'A off the curve': ({ words, next }) => ({
    words: setAt(words, { 1: next() % P }),
    expected: 5,
  }),
  'B off the curve': ({ words, next }) => ({
    words: setAt(words, { 4: next() % P }),
    expected: 5,
  }),
  'C.y = 123456': ({ words }) => ({
    words: setAt(words, { 7: 123456n }),
    expected: 5,
  }),
  'A half at infinity': ({ words }) => ({
    words: setAt(words, { 1: 0n }),
    expected: 5,
  }),
  'c0 and c1 of B swapped': ({ words: w }) => ({
    words: [w[0], w[1], w[3], w[2], w[5], w[4], w[6], w[7]] as Words,
    expected: 5,
  }),
  'the words of B before those of A': ({ words: w }) => ({
    words: [w[2], w[3], w[4], w[5], w[0], w[1], w[6], w[7]] as Words,
    expected: 5,
  }),
  'B outside the subgroup': withOutsideB,
  'forgery: B outside the subgroup, the equation holds': forgery,
  'a coordinate at least p': ({ words, next }) => {
    const at = Number(next() % 8n);
    return {
      words: setAt(words, { [at]: (words[at] as bigint) + P }),
      expected: 4,
    };
  },
  'a coordinate p itself': ({ words, next }) => ({
    words: setAt(words, { [Number(next() % 8n)]: P }),
    expected: 4,
  }),
  'an input at least r': ({ words, inputs, next }) => {
    const at = Number(next() % BigInt(inputs.length));
    return {
      words,
      inputs: inputs.map((x, i) => (i === at ? x + R : x)),
      expected: 7,
    };
  },
  'an input r itself': ({ words, inputs }) => ({
    words,
    inputs: [R, ...inputs.slice(1)],
    expected: 7,
  }),
  'order: range before curve': ({ words, inputs }) => ({
    words: setAt(words, { 0: P, 7: 123456n }),
    inputs: [R, ...inputs.slice(1)],
    expected: 4,
  }),
  'order: curve of C before subgroup of B': (draft) => ({
    words: setAt(withOutsideB(draft).words, { 7: 123456n }),
    expected: 5,
  }),
  'order: subgroup before input range': (draft) => ({
    ...withOutsideB(draft),
    inputs: [...draft.inputs.slice(0, -1), R],
  }),
  'order: decompression before input range': ({ words, inputs }) => ({
    words: padded([P << 1n, ...compress(words).slice(1)]),
    inputs: [R, ...inputs.slice(1)],
    expected: 3,
  }),
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
