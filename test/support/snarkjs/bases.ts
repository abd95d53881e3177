/** Statements with valid proofs from which cases are made: of circuits here, of others, and of known-trapdoor keys. */
import { readFileSync } from 'node:fs';
import { be32, inverse, modulo, R } from '../crypto/bn254.ts';
import { decompress } from '../crypto/curve-reference.ts';
import { forgeableKeys, forgeProof, keyOf, keySecrets } from '../crypto/forgeable-keys.ts';
import { groups, trapdoor } from '../crypto/trapdoor.ts';
import { type KeyJson, keyJson, type ProofJson, proofJson, proofOfWords } from './json.ts';
import { rerandomised } from './points.ts';

/** A valid proof under a key. */
export interface Statement {
  readonly key: KeyJson;
  readonly signals: readonly string[];
  readonly proof: ProofJson;
}

/** Makes valid proofs under known-trapdoor keys. */
export interface TrapdoorBase {
  readonly key: KeyJson;
  readonly inputCount: number;
  /** A valid proof of the inputs from scalars, of which 0 makes A or B infinite. */
  prove(inputs: readonly bigint[], a: bigint, b: bigint): ProofJson;
  /** The scalar b with which C is infinite. */
  bOfInfiniteC(inputs: readonly bigint[], a: bigint): bigint;
}

/** A proof that snarkjs accepts under a key that the engine refuses. */
export interface ForgeableBase {
  readonly name: string;
  readonly key: KeyJson;
  readonly signals: readonly string[];
  readonly proof: ProofJson;
}

const TRAPDOOR_INPUTS = [1, 2, 4, 15, 33];

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));
const decimal = (hex: string): string => BigInt(hex).toString();

interface CircuitFile {
  readonly key: KeyJson;
  readonly proofs: readonly { readonly proof: ProofJson; readonly publicSignals: readonly string[] }[];
}

/** Returns the proofs of test/vectors/snarkjs, made by snarkjs for circuits of 1 to 64 public inputs. */
export function circuitStatements(): Statement[] {
  return (read('test/vectors/snarkjs/linear.json') as CircuitFile[]).flatMap(({ key, proofs }) =>
    proofs.map(({ proof, publicSignals }) => ({ key, proof, signals: publicSignals })),
  );
}

/** Returns proofs of Semaphore and World ID 4.0 that others made. */
export async function foreignStatements(): Promise<Statement[]> {
  await groups();
  const semaphore = read('test/vectors/semaphore-proofs.json') as Record<string, string | number>[];
  const worldId = read('test/vectors/worldid4-proofs.json') as {
    readonly real: readonly { readonly public_inputs: string[]; readonly proof: string[] }[];
  };
  const semaphoreKey = read('circuits/semaphore-depth30/verification-key.json') as KeyJson;
  const worldIdKey = read('circuits/worldid4/verification-key.json') as KeyJson;
  return [
    ...semaphore
      .filter(({ depth }) => depth === 30)
      .map((entry) => ({
        key: semaphoreKey,
        signals: ['merkle_root', 'nullifier_hash', 'signal_hash', 'external_nullifier_hash'].map((name) =>
          decimal(`${entry[name]}`),
        ),
        proof: proofOfWords(
          `${entry.proof}`
            .slice(2)
            .match(/.{64}/g)
            ?.map((word) => decimal(`0x${word}`)) ?? [],
        ),
      })),
    ...worldId.real.map(({ public_inputs, proof }) => {
      const words = decompress([...proof.slice(0, 4).map(BigInt), 0n, 0n, 0n, 0n]) ?? [];
      return { key: worldIdKey, signals: public_inputs.map(decimal), proof: proofOfWords(words.map(String)) };
    }),
  ];
}

/** Returns keys whose secrets are known, of several numbers of inputs. */
export async function trapdoorBases(): Promise<TrapdoorBase[]> {
  return await Promise.all(
    TRAPDOOR_INPUTS.map(async (inputCount) => {
      const made = await trapdoor(inputCount);
      const prove = (inputs: readonly bigint[], a: bigint, b: bigint): ProofJson =>
        proofJson(made.prove(inputs, a, b));
      return {
        key: keyJson(made.key),
        inputCount,
        prove,
        bOfInfiniteC: (inputs, a) => {
          // C is linear in b: c(b) = c(0) + b·(c(1) − c(0)).
          const [zero, one] = [made.solve(inputs, a, 0n), made.solve(inputs, a, 1n)];
          return modulo(-zero * inverse(one - zero, R), R);
        },
      };
    }),
  );
}

/** Returns forged proofs under forgeable keys, among them the key of a zkey without a contribution to phase 2. */
export async function forgeableBases(): Promise<ForgeableBase[]> {
  const inputs = [1n, 2n, 3n, 4n];
  const keys = await forgeableKeys();
  return keys
    .filter(({ name }) => name.startsWith('no contribution to phase 2') || name === 'δ = γ')
    .map(({ name, key }) => ({
      name,
      key: keyJson(key),
      signals: inputs.map(String),
      proof: proofJson(forgeProof(key, inputs, 'delta = k gamma', 1n)),
    }));
}

/** Returns valid proofs under a key with equal and infinite IC points, and with another value of the infinite one. */
export async function degenerateStatements(): Promise<Statement[]> {
  const { g1, g2 } = await groups();
  const secrets = keySecrets(({ ic: [zero, one, , three] }) => ({
    ic: [zero, one, 0n, three, one].map((scalar) => scalar ?? 0n),
  }));
  const { alpha, beta, gamma, delta, ic } = secrets;
  const key = keyJson(await keyOf(secrets));
  const proofOf = (inputs: readonly bigint[], a: bigint, b: bigint): ProofJson => {
    const l = inputs.reduce((sum, x, index) => sum + x * (ic[index + 1] ?? 0n), ic[0] ?? 0n);
    const c = (a * b - alpha * beta - gamma * l) * inverse(delta, R);
    return proofJson(Buffer.concat([g1(a), g2(b), g1(c)]));
  };
  const proof = proofOf([5n, 6n, 7n, 8n], 11n, 13n);
  return [
    ['5', '6', '7', '8'],
    ['8', '6', '7', '5'],
    ['5', '99', '7', '8'],
  ].map((signals) => ({ key, proof, signals }));
}

/** Makes another valid proof of a statement, from two scalars. */
export async function another(statement: Statement, s: bigint, t: bigint): Promise<ProofJson> {
  return await rerandomised(statement.proof, statement.key, s, t);
}

/** Encodes decimal signals as the engine takes them. */
export function signalBytes(signals: readonly string[]): Uint8Array {
  return Buffer.concat(signals.map((signal) => be32(BigInt(signal))));
}
