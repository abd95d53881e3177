import type { Arithmetic } from '../../engine/backends/backend.ts';
import type { ProofFormName } from '../../groth16/proof.ts';
import { type ReadStatement, shownForm } from '../../groth16/statement.ts';
import { suspicionOf } from '../../groth16/suspicion.ts';

/** Codes of a proof that is not accepted, with a sentence for each. */
const MESSAGES = {
  'proof.false': 'the proof does not hold for these public signals under this key',
  'proof.form': 'the proof is in none of the accepted forms',
  'proof.length': 'the proof has neither 256 bytes nor the 128 of the compressed form',
  'proof.decompression': 'the compressed proof does not decompress to points',
  'proof.coordinate_range': 'a coordinate of the proof is not below the base field order p',
  'proof.point_not_on_curve': 'a point of the proof is not on its curve',
  'proof.point_not_in_subgroup': 'B is outside the r-order subgroup of G2',
  'input.form': 'a public signal is in none of the accepted forms',
  'input.count': 'the number of public signals is not that of the key',
  'input.range': 'a public signal is not below the scalar order r',
  'engine.poison': 'checking this proof failed twice, so it was given up',
} as const;

/** Reason why a proof is not accepted. */
export type VerdictCode = keyof typeof MESSAGES;

/** Verdict of one proof. */
export type Verdict = {
  /** Form of the proof, unless it is the object of snarkjs or bytes in one of the forms of the engine. */
  readonly form?: ProofFormName;
} & (
  | { readonly valid: true; readonly code?: undefined; readonly message?: undefined }
  | { readonly valid: false; readonly code: VerdictCode; readonly message: string }
);

/** Verdict of a valid proof. */
export const VALID: Verdict = Object.freeze({ valid: true });

/** Whether a code is that of a verdict. */
export function isVerdictCode(code: string): code is VerdictCode {
  return Object.hasOwn(MESSAGES, code);
}

/** Returns the verdict of a proof that is not accepted. @param message - If absent, the sentence of the code. */
export function invalidVerdict(code: VerdictCode, message: string = MESSAGES[code]): Verdict {
  return { valid: false, code, message };
}

/** Returns the verdict of the engine on a statement, with the form of its proof and a guess at what is wrong with it. */
export function verdictOn({ form, bytes }: ReadStatement, code: VerdictCode | undefined): Verdict {
  const shown = shownForm(form);
  if (code !== undefined)
    return { ...invalidVerdict(code, MESSAGES[code] + suspicionOf(code, bytes)), ...shown };
  return shown.form === undefined ? VALID : { valid: true, ...shown };
}

/** Verdict of a core: valid, false, or not decided by the equation, with a code. */
export interface CoreVerdict {
  readonly ok: boolean;
  readonly code?: string | undefined;
}

/** A snapshot of an engine. */
export interface EngineStats {
  readonly backend: 'native' | 'wasm';
  readonly arithmetic: Arithmetic;
  /** Reason for the choice of backend and arithmetic, one sentence. */
  readonly reason: string;
  /** Worker threads; 0 if the engine runs in the calling thread. */
  readonly workers: number;
  readonly readyWorkers: number;
  /** Threads or WASM instances that failed and were replaced. */
  readonly workerRestarts: number;
  /** Number of waiting proofs. */
  readonly queueDepth: number;
  /** Number of proofs being checked. */
  readonly running: number;
  /** Number of answered proofs. */
  readonly verified: number;
}

/**
 * What differs between the engines of the library: worker threads in Node, one WASM instance elsewhere. Takes bytes
 * only; `Engine` decodes the forms. Its errors have a `code`.
 */
export interface EngineCore {
  /** Number of statements that `verifyMany` keeps in flight: enough for full batches on every worker. */
  readonly window: number;
  /** Prepares a key; the same bytes under a known id are accepted. */
  addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void>;
  /** Number of public inputs of a key, or undefined for an unknown id. */
  inputCount(keyId: string): number | undefined;
  /** Whether one more statement fits the queue. */
  hasRoom(): boolean;
  /**
   * Checks one statement; `engine.busy` if the queue is full.
   *
   * @param statement - Proof (256) ‖ inputs (32 each); must not change before the answer.
   * @param signal - Once aborted, a waiting statement is not checked.
   */
  verify(keyId: string, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict>;
  /** Returns counts and the chosen backend. */
  stats(): EngineStats;
  /** Finishes accepted work and frees everything. */
  close(): Promise<void>;
}
