/** Points of snarkjs JSON in the arithmetic of mcl, which shares no code with the engine or with snarkjs. */
import mcl from 'mcl-wasm';
import { groups } from '../crypto/trapdoor.ts';
import type { KeyJson, ProofJson } from './json.ts';

type G1 = InstanceType<typeof mcl.G1>;
type G2 = InstanceType<typeof mcl.G2>;

function g1([x, y]: readonly string[]): G1 {
  const point = new mcl.G1();
  point.setStr(`1 ${x} ${y}`);
  return point;
}

function g2([x, y]: readonly (readonly string[])[]): G2 {
  const point = new mcl.G2();
  point.setStr(`1 ${x?.join(' ')} ${y?.join(' ')}`);
  return point;
}

function scalar(value: bigint): InstanceType<typeof mcl.Fr> {
  const element = new mcl.Fr();
  element.setStr(value.toString());
  return element;
}

const coordinates = (point: G1 | G2): string[] => point.getStr(10).split(' ').slice(1);
const g1Json = (point: G1): string[] => [...coordinates(point), '1'];

function g2Json(point: G2): string[][] {
  const [x0 = '', x1 = '', y0 = '', y1 = ''] = coordinates(point);
  return [
    [x0, x1],
    [y0, y1],
    ['1', '0'],
  ];
}

/**
 * Makes another valid proof of a statement: (A/s, s·B + s·t·δ, C + t·A).
 *
 * @param proof - Of finite points in decimal. @param s - Not zero.
 */
export async function rerandomised(
  { pi_a, pi_b, pi_c }: ProofJson,
  key: KeyJson,
  s: bigint,
  t: bigint,
): Promise<ProofJson> {
  await groups();
  const [a, b, c, delta] = [g1(pi_a), g2(pi_b), g1(pi_c), g2(key.vk_delta_2)];
  const [one, two] = [scalar(s), scalar(t)];
  return {
    pi_a: g1Json(mcl.mul(a, mcl.inv(one)) as G1),
    pi_b: g2Json(mcl.add(mcl.mul(b, one) as G2, mcl.mul(delta, mcl.mul(one, two)) as G2) as G2),
    pi_c: g1Json(mcl.add(c, mcl.mul(a, two) as G1) as G1),
    protocol: 'groth16',
    curve: 'bn128',
  };
}
