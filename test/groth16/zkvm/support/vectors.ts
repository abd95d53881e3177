/** Real proofs of SP1, RISC Zero and Semaphore with their sources (test/vectors/forms). */
import { readFileSync } from 'node:fs';
import { FormError } from '../../../../src/groth16/layout.ts';

interface Vector {
  readonly name: string;
  readonly publicSignals: readonly string[];
}

export interface Sp1Vector extends Vector {
  readonly key: string;
  readonly vkeyHash: string;
  readonly publicValues: string;
  readonly proof: string;
}

export interface Risc0Vector extends Vector {
  readonly key: string;
  readonly seal: string;
  readonly imageId: string;
  readonly journal: string;
  readonly claimDigest: string;
}

export interface SemaphoreVector extends Vector {
  readonly key: object;
  readonly proof: {
    readonly merkleTreeDepth: number;
    readonly merkleTreeRoot: string;
    readonly nullifier: string;
    readonly message: string;
    readonly scope: string;
    readonly points: readonly string[];
  };
}

/** Reads a JSON file of the repository. */
export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
}

export const SP1: readonly Sp1Vector[] = readJson('test/vectors/forms/sp1.json') as Sp1Vector[];
export const RISC0: readonly Risc0Vector[] = readJson('test/vectors/forms/risc0.json') as Risc0Vector[];
export const SEMAPHORE4: readonly SemaphoreVector[] = readJson(
  'test/vectors/forms/semaphore4.json',
) as SemaphoreVector[];

/** Returns the vector of that name. */
export function vectorOf<V extends Vector>(vectors: readonly V[], name: string): V {
  const vector = vectors.find((row) => row.name === name);
  if (vector === undefined) throw new Error(`no vector ${name}`);
  return vector;
}

/** Returns the bytes of a hex text that begins with 0x. */
export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'));
}

/** Code and message of the refusal; undefined if the step does not refuse. */
export function refusalOf(
  step: () => unknown,
): { code: string; message: string; isType: boolean } | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const { code, message, isType } = error;
    return { code, message, isType };
  }
}
