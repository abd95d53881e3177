import mcl from 'mcl-wasm';
import { groups } from '../../test/support/crypto/trapdoor.ts';
import type { LoadContender } from './contender.ts';
import type { Answer, ProofMember, ProofSet } from './proof-set.ts';

type G1 = InstanceType<typeof mcl.G1>;
type G2 = InstanceType<typeof mcl.G2>;
type GT = InstanceType<typeof mcl.GT>;

/** A key with all precomputation that mcl-wasm offers: e(α,β) and the lines of −γ and −δ. */
interface PreparedKey {
  readonly alphaBeta: GT;
  readonly gamma: InstanceType<typeof mcl.PrecomputedG2>;
  readonly delta: InstanceType<typeof mcl.PrecomputedG2>;
  readonly ic: readonly G1[];
}

/** The points of e(A,B) · e(L,−γ) · e(C,−δ) = e(α,β). */
interface Points {
  readonly a: G1;
  readonly b: G2;
  readonly c: G1;
  readonly l: G1;
}

function fp(bytes: Uint8Array): InstanceType<typeof mcl.Fp> {
  const value = new mcl.Fp();
  value.deserialize(Uint8Array.from(bytes).reverse());
  return value;
}

function g1(bytes: Uint8Array): G1 {
  const point = new mcl.G1();
  point.setX(fp(bytes.subarray(0, 32)));
  point.setY(fp(bytes.subarray(32, 64)));
  const one = new mcl.Fp();
  one.setInt(1);
  point.setZ(one);
  return point;
}

function g2(bytes: Uint8Array): G2 {
  const pair = (at: number): InstanceType<typeof mcl.Fp2> => {
    const value = new mcl.Fp2();
    value.set_a(fp(bytes.subarray(at + 32, at + 64)));
    value.set_b(fp(bytes.subarray(at, at + 32)));
    return value;
  };
  const point = new mcl.G2();
  point.setX(pair(0));
  point.setY(pair(64));
  const one = new mcl.Fp2();
  one.setInt(1, 0);
  point.setZ(one);
  return point;
}

function prepareKey(key: Uint8Array): PreparedKey {
  return {
    alphaBeta: mcl.pairing(g1(key.subarray(0, 64)), g2(key.subarray(64, 192))),
    gamma: new mcl.PrecomputedG2(mcl.neg(g2(key.subarray(192, 320)))),
    delta: new mcl.PrecomputedG2(mcl.neg(g2(key.subarray(320, 448)))),
    ic: Array.from({ length: (key.length - 448) / 64 }, (_, i) => g1(key.subarray(448 + 64 * i))),
  };
}

function inputSum(key: PreparedKey, inputs: Uint8Array): G1 {
  const scalars = Array.from({ length: inputs.length / 32 }, (_, i) => {
    const value = new mcl.Fr();
    value.deserialize(Uint8Array.from(inputs.subarray(32 * i, 32 * i + 32)).reverse());
    return value;
  });
  const [first, ...rest] = key.ic;
  return mcl.normalize(mcl.add(first as G1, mcl.mulVec(rest, scalars)));
}

const decode = (key: PreparedKey, { proof, inputs }: ProofMember): Points => ({
  a: g1(proof),
  b: g2(proof.subarray(64)),
  c: g1(proof.subarray(192)),
  l: inputSum(key, inputs),
});

/** Decodes a member; undefined if the library refuses a coordinate or an input as too large. */
function tryDecode(key: PreparedKey, member: ProofMember): Points | undefined {
  try {
    return decode(key, member);
  } catch {
    return undefined;
  }
}

/** The product of three Miller loops, in the two ways in which the library can share work between loops. */
const PRODUCTS: Readonly<Record<string, (key: PreparedKey, points: Points) => GT>> = {
  'two prepared loops shared': (key, { a, b, c, l }) =>
    mcl.mul(mcl.precomputedMillerLoop2(l, key.gamma, c, key.delta), mcl.millerLoop(a, b)),
  'proof and one prepared loop shared': (key, { a, b, c, l }) =>
    mcl.mul(mcl.precomputedMillerLoop2mixed(a, b, l, key.gamma), mcl.precomputedMillerLoop(c, key.delta)),
};

/** Returns the check with the faster product on this machine, by the least time of twenty runs each. */
function fasterProduct(key: PreparedKey, points: Points): (points: Points) => boolean {
  const checks = Object.values(PRODUCTS).map((product) => (given: Points) => {
    return mcl.finalExp(product(key, given)).isEqual(key.alphaBeta);
  });
  const least = checks.map(() => Number.POSITIVE_INFINITY);
  for (let i = 0; i < 20; i++)
    for (const [index, check] of checks.entries()) {
      const began = performance.now();
      check(points);
      least[index] = Math.min(least[index] as number, performance.now() - began);
    }
  return checks[least.indexOf(Math.min(...least))] as (points: Points) => boolean;
}

function load(name: string, scope: string, isWhole: boolean): LoadContender {
  return async (set: ProofSet) => {
    // Initializes the library once per process: a second initialization would invalidate prepared points.
    await groups();
    const key = prepareKey(set.key);
    const check = fasterProduct(key, decode(key, set.valid[0] as ProofMember));
    const whole = (member: ProofMember): Answer => {
      const points = tryDecode(key, member);
      if (!points?.a.isValid() || !points.c.isValid() || !points.b.isValid() || !points.b.isValidOrder())
        return 'refused';
      return check(points);
    };
    return {
      name,
      isPeer: true,
      scope,
      distinguishesRefusals: isWhole,
      ...(isWhole ? {} : { skippedKinds: set.refused.map(({ kind }) => kind) }),
      prepare: (members) =>
        isWhole
          ? members.map((member) => () => whole(member))
          : members.map((member) => decode(key, member)).map((points) => () => check(points)),
      close: async () => {
        key.gamma.destroy();
        key.delta.destroy();
      },
    };
  };
}

/** The pairing check only: points decoded and Σ xᵢICᵢ computed beforehand, no curve or subgroup check. */
export const loadMclPairing: LoadContender = load(
  'mcl-wasm-pairing',
  'pairing check alone, prepared key, decoded points',
  false,
);

/** The full check, as by our builds: decoding, curve and subgroup checks, Σ xᵢICᵢ, pairing check. */
export const loadMclWhole: LoadContender = load('mcl-wasm', 'all checks, prepared key, from bytes', true);
