import { readFile } from 'node:fs/promises';
import type { Engine } from '../engine/index.ts';
import { ServiceError } from '../errors/index.ts';
import {
  circuitInput,
  type MembershipStatement,
  nullifierHashOf,
  proofBytes,
  wordsOf,
} from '../semaphore/index.ts';
import type { CircuitFiles } from './circuit-files.ts';
import { DEVELOPMENT_KEY } from './trees.ts';

/** A proof and its public inputs. */
export interface MembershipProof {
  /** 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197). */
  readonly proof: Uint8Array;
  /** 128 bytes: root, nullifier hash, signal hash, external nullifier, as the witness has them. */
  readonly inputs: Uint8Array;
}

/** Engine and key that check a proof before it is returned. */
export interface ProofCheck {
  readonly engine: Pick<Engine, 'registerKey' | 'verify' | 'poseidon'>;
  /** Bytes of the key dev-depth30, as `Engine.registerKey` takes them. */
  readonly key: Uint8Array;
}

/**
 * Makes a proof with snarkjs, about 2 s on one thread. Does not check it: a proving key of another setup
 * yields an invalid proof.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.prover_failed`
 */
export async function proveMembership(
  statement: MembershipStatement,
  files: Pick<CircuitFiles, 'witnessCode' | 'provingKey'>,
): Promise<MembershipProof> {
  const { groth16 } = await loadSnarkjs();
  const input = circuitInput(statement);
  const { witnessCode, provingKey } = files;
  // One thread: threads of its own would save a tenth of the time and outlive the proof.
  const prover = { singleThread: true };
  try {
    // Bytes, not paths: snarkjs leaves files open when it fails.
    const [code, key] = await Promise.all([readFile(witnessCode), readFile(provingKey)]);
    const made = await groth16.fullProve(input, code, key, undefined, undefined, prover);
    return { proof: proofBytes(made.proof), inputs: wordsOf(made.publicSignals) };
  } catch (cause) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the prover stopped: ${provingKey} or ${witnessCode} cannot be used`,
      {},
      { cause },
    );
  }
}

/**
 * Makes a proof, checks that its public inputs are those of the statement, and verifies it with the engine.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.prover_failed`
 */
export async function proveAndCheck(
  statement: MembershipStatement,
  files: Pick<CircuitFiles, 'witnessCode' | 'provingKey'>,
  { engine, key }: ProofCheck,
): Promise<MembershipProof> {
  const made = await proveMembership(statement, files);
  const { identity, inclusion, signalHash, externalNullifier } = statement;
  const nullifier = await nullifierHashOf(identity, externalNullifier, (inputs) => engine.poseidon(inputs));
  const asked = Buffer.concat([inclusion.root, nullifier, signalHash, externalNullifier]);
  if (!asked.equals(made.inputs)) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the witness code ${files.witnessCode} computes other public inputs than those of the statement`,
    );
  }
  await engine.registerKey(DEVELOPMENT_KEY, key);
  const { ok } = await engine.verify(DEVELOPMENT_KEY, made.proof, made.inputs);
  if (!ok) {
    throw new ServiceError(
      'circuit.prover_failed',
      `the proving key ${files.provingKey} makes proofs that are invalid under ${DEVELOPMENT_KEY}`,
    );
  }
  return made;
}

async function loadSnarkjs(): Promise<typeof import('snarkjs')> {
  try {
    // biome-ignore lint/style/noRestrictedImports: loaded when a command makes a proof, never by the server
    return await import('snarkjs');
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new ServiceError('circuit.tools_missing', 'not installed: snarkjs', {}, { cause });
  }
}
