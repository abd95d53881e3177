import mcl from 'mcl-wasm';
import { be32, fromBe, R } from '../../test/support/crypto/bn254.ts';
import { groups, trapdoor, trapdoorScalar } from '../../test/support/crypto/trapdoor.ts';

/** The constant public inputs of a stream; the nullifier varies. */
export interface StreamInputs {
  readonly root: Uint8Array;
  readonly signalHash: Uint8Array;
  readonly externalNullifier: Uint8Array;
}

/** One proof with its nullifier, 256 and 32 bytes. */
export interface StreamedProof {
  readonly proof: Uint8Array;
  readonly nullifier: Uint8Array;
}

// Nullifiers advance by a large odd step modulo r: they are distinct, and not in the order of the database's
// keys.
const STEP = trapdoorScalar('bench-nullifier-step');

type G1 = InstanceType<typeof mcl.G1>;
type G2 = InstanceType<typeof mcl.G2>;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function toG1(bytes: Uint8Array): G1 {
  const point = new mcl.G1();
  point.setStr(`1 ${hex(bytes.subarray(0, 32))} ${hex(bytes.subarray(32))}`, 16);
  return point;
}

function toG2(bytes: Uint8Array): G2 {
  const [x1, x0, y1, y0] = [0, 32, 64, 96].map((at) => hex(bytes.subarray(at, at + 32)));
  const point = new mcl.G2();
  point.setStr(`1 ${x0} ${x1} ${y0} ${y1}`, 16);
  return point;
}

function writeWords(target: Uint8Array, at: number, point: G1 | G2, order: readonly number[]): void {
  const words = point.getStr(16).split(' ');
  order.forEach((word, index) => {
    target.set(Buffer.from((words[word] ?? '').padStart(64, '0'), 'hex'), at + 32 * index);
  });
}

/** Makes valid trapdoor-4 proofs with distinct points and nullifiers; see `nullifierStream`. */
export function proofStream(inputs: StreamInputs, first: number): Promise<() => StreamedProof> {
  const [root, signalHash, externalNullifier] = [
    fromBe(inputs.root),
    fromBe(inputs.signalHash),
    fromBe(inputs.externalNullifier),
  ];
  return nullifierStream((nullifier) => [root, nullifier, signalHash, externalNullifier], first);
}

/**
 * Makes valid proofs under a known-trapdoor key with distinct points and nullifiers, about twenty times faster than one
 * by one: with a and b advancing by one and the nullifier by a constant, the scalar c is quadratic in the running number,
 * so that each proof costs four point additions.
 *
 * @param inputsOf - Public inputs with this nullifier, all others constant; their number selects the key.
 * @param first - Running number of the first proof; streams of disjoint ranges share no nullifier.
 * @param firstPoint - Running number of its points, if another; streams of disjoint ranges share no point.
 * @throws Error if a proof differs from the one that the definition gives
 */
export async function nullifierStream(
  inputsOf: (nullifier: bigint) => readonly bigint[],
  first: number,
  firstPoint: number = first,
): Promise<() => StreamedProof> {
  const { g1, g2 } = await groups();
  const setup = await trapdoor(inputsOf(0n).length);
  const [a0, b0, n0] = ['bench-a', 'bench-b', 'bench-n'].map(trapdoorScalar) as [bigint, bigint, bigint];
  const nullifierOf = (k: number): bigint => (n0 + BigInt(k) * STEP) % R;
  const statement = (k: number): readonly bigint[] => inputsOf(nullifierOf(k));
  const scalarA = (k: number): bigint => (a0 + BigInt(k - first + firstPoint)) % R;
  const scalarB = (k: number): bigint => (b0 + BigInt(k - first + firstPoint)) % R;
  const [c0, c1, c2] = [first, first + 1, first + 2].map((k) =>
    setup.solve(statement(k), scalarA(k), scalarB(k)),
  ) as [bigint, bigint, bigint];

  let [pointA, pointB, pointC] = [toG1(g1(scalarA(first))), toG2(g2(scalarB(first))), toG1(g1(c0))];
  let step = toG1(g1(c1 - c0));
  const [oneG1, oneG2, stepOfStep] = [toG1(g1(1n)), toG2(g2(1n)), toG1(g1(c2 - 2n * c1 + c0))];
  let k = first;
  const next = (): StreamedProof => {
    const proof = new Uint8Array(256);
    writeWords(proof, 0, pointA, [1, 2]);
    writeWords(proof, 64, pointB, [2, 1, 4, 3]);
    writeWords(proof, 192, pointC, [1, 2]);
    const nullifier = be32(nullifierOf(k));
    k += 1;
    pointA = mcl.add(pointA, oneG1);
    pointB = mcl.add(pointB, oneG2);
    pointC = mcl.add(pointC, step);
    step = mcl.add(step, stepOfStep);
    return { proof, nullifier };
  };
  return checked(next, (at) => setup.prove(statement(at), scalarA(at), scalarB(at)), first);
}

/**
 * Makes valid trapdoor-4 proofs of unrelated statements with distinct points: a and b advance by one, so that
 * a proof costs two additions and one multiplication.
 *
 * @param first - Running number of the first proof; makers of disjoint ranges share no point.
 * @throws Error if a proof differs from the one that the definition gives
 */
export async function proofMaker(first: number): Promise<(statement: readonly Uint8Array[]) => Uint8Array> {
  const { g1, g2 } = await groups();
  const setup = await trapdoor(4);
  const [a0, b0] = ['bench-a', 'bench-b'].map(trapdoorScalar) as [bigint, bigint];
  const [oneG1, oneG2] = [toG1(g1(1n)), toG2(g2(1n))];
  let [a, b] = [(a0 + BigInt(first)) % R, (b0 + BigInt(first)) % R];
  let [pointA, pointB] = [toG1(g1(a)), toG2(g2(b))];
  let count = 0;
  return (statement) => {
    const inputs = statement.map(fromBe);
    const proof = new Uint8Array(256);
    writeWords(proof, 0, pointA, [1, 2]);
    writeWords(proof, 64, pointB, [2, 1, 4, 3]);
    proof.set(g1(setup.solve(inputs, a, b)), 192);
    if (isChecked(count++) && hex(proof) !== hex(setup.prove(inputs, a, b)))
      throw new Error(`proof ${first + count - 1} differs from its definition`);
    [a, b] = [(a + 1n) % R, (b + 1n) % R];
    pointA = mcl.add(pointA, oneG1);
    pointB = mcl.add(pointB, oneG2);
    return proof;
  };
}

const isChecked = (count: number): boolean => count < 3 || count % 4096 === 0;

/** Compares the first three proofs and every 4096th with those made by definition. */
function checked(
  next: () => StreamedProof,
  byDefinition: (at: number) => Uint8Array,
  first: number,
): () => StreamedProof {
  let count = 0;
  return () => {
    const made = next();
    const at = count++;
    if (isChecked(at) && hex(made.proof) !== hex(byDefinition(first + at)))
      throw new Error(`proof ${first + at} of the stream differs from its definition`);
    return made;
  };
}
