/** Keys and proofs of snarkjs (test/vectors/snarkjs), and the same in the bytes of other tools. */
import linear from '../../vectors/snarkjs/linear.json' with { type: 'json' };

/** A key and a proof under it, as snarkjs wrote them. */
export interface LinearCase {
  readonly key: (typeof linear)[number]['key'];
  readonly proof: (typeof linear)[number]['proofs'][number]['proof'];
  readonly publicSignals: readonly string[];
}

/** Returns the case of a circuit with this many public inputs. */
export function linearCase(inputs: number): LinearCase {
  const circuit = linear.find((one) => one.inputs === inputs);
  const [, , made] = circuit?.proofs ?? [];
  if (circuit === undefined || made === undefined) throw new Error(`no circuit of ${inputs} public inputs`);
  return { key: circuit.key, ...made };
}

/** Returns a proof of 256 bytes as gnark writes it without compression since version 0.9. */
export function inGnark(proof: Uint8Array): Uint8Array {
  return Buffer.concat([proof, new Uint8Array(4 + 64)]);
}

/** Returns a proof of 256 bytes as arkworks writes it: little-endian, c0 before c1; flags for the larger y. */
export function inArkworks(proof: Uint8Array): Uint8Array {
  const reversed = (from: number, to: number): Uint8Array => proof.slice(from, to).reverse();
  const p = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
  // Points: x, then y with its flag; of G2 the words of x are c1, c0.
  const point = (at: number, size: number): Uint8Array => {
    const half = size / 2;
    const y = reversed(at + half, at + size);
    const high = BigInt(`0x${Buffer.from(proof.subarray(at + half, at + half + 32)).toString('hex')}`);
    const last = y.length - 1;
    if (high > (p - 1n) / 2n) y[last] = (y[last] ?? 0) | 0x80;
    return Buffer.concat([reversed(at, at + half), y]);
  };
  return Buffer.concat([point(0, 64), point(64, 128), point(192, 64)]);
}

/** Returns a key as the JSON of the structs of gnark. */
export function gnarkKey(key: LinearCase['key']): object {
  const g1 = ([X = '', Y = '']: readonly string[]): object => ({ X, Y });
  const g2 = ([x = [], y = []]: readonly (readonly string[])[]): object => ({
    X: { A0: x[0], A1: x[1] },
    Y: { A0: y[0], A1: y[1] },
  });
  return {
    G1: { Alpha: g1(key.vk_alpha_1), K: key.IC.map(g1) },
    G2: { Beta: g2(key.vk_beta_2), Gamma: g2(key.vk_gamma_2), Delta: g2(key.vk_delta_2) },
  };
}
