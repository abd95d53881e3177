/**
 * Makes the keys and proofs of test/vectors/snarkjs with circom2 and snarkjs:
 *
 *   node --import tsx test/support/snarkjs/make-vectors.ts
 *
 * The keys are the same in every run, because each contribution is a beacon. The proofs are others, because a prover draws
 * random numbers.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCurveFromName } from 'ffjavascript';
import { groth16, type MemoryFile, powersOfTau, zKey } from 'snarkjs';
import { inverse, R } from '../crypto/bn254.ts';
import { scalarStream } from '../crypto/trapdoor.ts';

const INPUT_COUNTS = [1, 2, 3, 4, 8, 16, 33, 64];
const PROOFS_PER_CIRCUIT = 4;
const POWER = 8;
const BEACON = '0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20';
const ITERATIONS_EXPONENT = 10;

const folder = fileURLToPath(new URL('../../vectors/snarkjs/', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('circom2/cli.js');
const memory = (): MemoryFile => ({ type: 'mem' });

/** Public inputs of a proof: zeros, r − 1, small numbers, or any. */
function inputsOf(count: number, proof: number): bigint[] {
  const next = scalarStream(`snarkjs vectors/${count}/${proof}`);
  return Array.from({ length: count }, (_, index) => {
    const any = next();
    return [[0n, R - 1n][index % 2] as bigint, BigInt(index * index), any, any][proof] ?? any;
  });
}

async function powers(): Promise<MemoryFile> {
  const curve = await getCurveFromName('bn128');
  const [empty, contributed, prepared] = [memory(), memory(), memory()];
  await powersOfTau.newAccumulator(curve, POWER, empty);
  await powersOfTau.beacon(empty, contributed, 'beacon', BEACON, ITERATIONS_EXPONENT);
  await powersOfTau.preparePhase2(contributed, prepared);
  return prepared;
}

async function circuit(count: number, work: string, ptau: MemoryFile): Promise<unknown> {
  const source = readFileSync(join(folder, 'linear.circom'), 'utf8');
  writeFileSync(join(work, 'main.circom'), `${source}\ncomponent main {public [x]} = Linear(${count});\n`);
  execFileSync(process.execPath, [compiler, 'main.circom', '--r1cs', '--wasm'], { cwd: work });
  const [first, last] = [memory(), memory()];
  await zKey.newZKey(join(work, 'main.r1cs'), ptau, first);
  await zKey.beacon(first, last, 'beacon', BEACON, ITERATIONS_EXPONENT);
  const key: unknown = await zKey.exportVerificationKey(last);
  const proofs: unknown[] = [];
  for (let proof = 0; proof < PROOFS_PER_CIRCUIT; proof++) {
    const x = inputsOf(count, proof);
    const sum = x.reduce((total, value, index) => (total + BigInt(index + 1) * value) % R, 1n);
    const a = BigInt(proof + 2);
    const b = (sum * inverse(a, R)) % R;
    proofs.push(await groth16.fullProve({ x, a, b }, join(work, 'main_js', 'main.wasm'), last));
  }
  return { inputs: count, key, proofs };
}

const work = mkdtempSync(join(tmpdir(), 'proofgate-'));
try {
  const ptau = await powers();
  const circuits: unknown[] = [];
  for (const count of INPUT_COUNTS) circuits.push(await circuit(count, work, ptau));
  writeFileSync(join(folder, 'linear.json'), `${JSON.stringify(circuits, null, 1)}\n`);
} finally {
  rmSync(work, { recursive: true });
}
process.exit(0);
