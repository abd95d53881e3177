import { bn254 } from '@noble/curves/bn254.js';
import { groth16, type MemoryFile, powersOfTau, zKey } from 'snarkjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConstraintSystem } from '../../src/development/setup/constraint-system.ts';
import {
  computeProvingKey,
  developmentSecrets,
  type ProvingKey,
  type SetupSecrets,
  verificationKeyJson,
} from '../../src/development/setup/proving-key.ts';
import { writeZkey } from '../../src/development/setup/zkey-file.ts';
import { keyFrom } from '../../src/membership/keys/built-in-keys.ts';
import { proofBytes, type SnarkjsProof } from '../../src/semaphore/snarkjs-forms.ts';
import { describeEngine } from '../engine/support/describe-engine.ts';
import { be32, fromBe, R } from '../support/crypto/bn254.ts';
import { closeReference } from '../support/crypto/reference-verdict.ts';
import {
  powersFile,
  r1csFile,
  type SmallCircuit,
  smallCircuit,
  witnessFile,
} from './support/small-circuit.ts';

/** Power of τ of a ceremony: the circuit's domain has 2^4 members, and the quotient needs twice as many. */
const POWER = 5;
const SECRETS = developmentSecrets();
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const single = { singleThread: true };

const memoryFile = (): MemoryFile => ({ type: 'mem' });
const bytesIn = ({ data }: MemoryFile): Uint8Array => {
  if (data === undefined) throw new Error('snarkjs wrote nothing');
  return data;
};

describeEngine('the proving key of a setup with known secrets', (engine) => {
  const circuit: SmallCircuit = smallCircuit('proving key');
  const r1cs = r1csFile(circuit);
  const prepared = memoryFile();
  let expected: Uint8Array;
  const compute = (secrets: SetupSecrets): Promise<ProvingKey> =>
    computeProvingKey(readConstraintSystem(r1cs), secrets, engine());
  const zkeyOf = async (secrets: SetupSecrets): Promise<Uint8Array> =>
    new Uint8Array(writeZkey(await compute(secrets), readConstraintSystem(r1cs)));

  beforeAll(async () => {
    await powersOfTau.preparePhase2(await powersFile(SECRETS, POWER), prepared, quiet);
    const made = memoryFile();
    await zKey.newZKey(r1cs, bytesIn(prepared), made, quiet);
    expected = bytesIn(made);
  });
  afterAll(() => closeReference());

  it('equals the bytes that snarkjs computes from powers of the same secrets, for δ = 1', async () => {
    const found = await zkeyOf({ ...SECRETS, delta: 1n });
    expect(Buffer.compare(found, expected)).toBe(0);
  });

  it('passes `snarkjs zkey verify` after a contribution', async () => {
    const contributed = memoryFile();
    const text = 'ab'.repeat(32);
    await zKey.beacon(await zkeyOf({ ...SECRETS, delta: 1n }), contributed, 'test', text, 10, quiet);
    expect(await zKey.verifyFromR1cs(r1cs, bytesIn(prepared), bytesIn(contributed), quiet)).toBe(true);
    const foreign = await zkeyOf({ ...SECRETS, alpha: SECRETS.alpha + 1n, delta: 1n });
    expect(await zKey.verifyFromR1cs(r1cs, bytesIn(prepared), foreign, quiet)).toBe(false);
  });

  it('differs for another δ only in δ itself and in the points divided by it', async () => {
    const [one, other] = [await compute({ ...SECRETS, delta: 1n }), await compute(SECRETS)];
    const { delta } = SECRETS;
    for (const name of ['c', 'h'] as const)
      expect(times(other[name], delta), name).toEqual(points(one[name]));
    expect(points(other.delta1)).toEqual(times(one.delta1, delta));
    for (const name of ['alpha1', 'beta1', 'beta2', 'gamma2', 'ic', 'a', 'b1', 'b2'] as const) {
      expect(Buffer.compare(other[name], one[name]), name).toBe(0);
    }
    expect(other.initial).toEqual(one.initial);
    const { G2 } = bn254;
    const expectedDelta = G2.Point.BASE.multiply(delta).toAffine();
    expect(Buffer.from(other.delta2)).toEqual(
      Buffer.concat(
        [expectedDelta.x.c1, expectedDelta.x.c0, expectedDelta.y.c1, expectedDelta.y.c0].map(be32),
      ),
    );
  });

  it('proves every true statement and no false one, by snarkjs and by the engine', async () => {
    const key = await compute(SECRETS);
    const zkey = new Uint8Array(writeZkey(key, readConstraintSystem(r1cs)));
    const json = verificationKeyJson(key);
    await engine().registerKey('small', keyFrom(json).key);
    const { vk_alphabeta_12: _, ...exported } = await zKey.exportVerificationKey(zkey, quiet);
    expect(JSON.parse(json)).toEqual(exported);
    const verdicts = async (wires: readonly bigint[]): Promise<readonly boolean[]> => {
      const { proof, publicSignals } = await groth16.prove(zkey, witnessFile(wires), quiet, single);
      const inputs = Buffer.concat(publicSignals.map((signal) => be32(BigInt(signal))));
      const { ok } = await engine().verify('small', proofBytes(proof as SnarkjsProof), inputs);
      return [ok, await groth16.verify(exported, publicSignals, proof)];
    };
    expect(await verdicts(circuit.witness)).toEqual([true, true]);
    for (const wire of circuit.witness.keys()) {
      const moved = circuit.witness.with(wire, ((circuit.witness[wire] as bigint) + 1n) % R);
      const isFree = wire === 5;
      expect(await verdicts(moved), `wire ${wire}`).toEqual([isFree, isFree]);
    }
  });

  it('refuses constraints that are truncated or over another field', async () => {
    const refusal = { code: 'circuit.setup_failed' };
    for (const length of [0, 11, 40, 100, r1cs.length - 200]) {
      expect(() => readConstraintSystem(r1cs.subarray(0, length)), `${length} bytes`).toThrow(
        expect.objectContaining(refusal),
      );
    }
    const otherField = r1cs.slice();
    const prime = Buffer.from(otherField).indexOf(Buffer.from(be32(R)).reverse());
    otherField[prime] = 0x03;
    expect(() => readConstraintSystem(otherField)).toThrow(expect.objectContaining(refusal));
  });
});

it('derives the secrets of the setup as the README of dev-depth30 says', async () => {
  const { hkdf } = await import('@noble/hashes/hkdf.js');
  const { sha256 } = await import('@noble/hashes/sha2.js');
  const text = new TextEncoder().encode('proofgate development setup v2');
  for (const [name, found] of Object.entries(SECRETS)) {
    const bytes = hkdf(sha256, text, undefined, new TextEncoder().encode(name), 64);
    expect(found, name).toBe(fromBe(bytes) % R);
  }
  expect(Object.keys(SECRETS).sort()).toEqual(['alpha', 'beta', 'delta', 'tau']);
});

type Affine = { readonly x: bigint; readonly y: bigint } | undefined;

/** Reads a list of G1 points in the engine's encoding; the point at infinity is undefined. */
function points(list: Uint8Array): Affine[] {
  return Array.from({ length: list.length / 64 }, (_, index) => {
    const x = fromBe(list.subarray(64 * index, 64 * index + 32));
    const y = fromBe(list.subarray(64 * index + 32, 64 * index + 64));
    return x === 0n && y === 0n ? undefined : { x, y };
  });
}

/** Multiplies each point of a list by a scalar. */
function times(list: Uint8Array, scalar: bigint): Affine[] {
  return points(list).map((point) => {
    if (point === undefined) return undefined;
    const { x, y } = bn254.G1.Point.fromAffine(point).multiply(scalar).toAffine();
    return { x, y };
  });
}
