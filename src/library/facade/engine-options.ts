import { type Arithmetic, BACKEND_CHOICES, type BackendChoice } from '../../engine/backends/backend.ts';
import { ProofgateError } from './proofgate-error.ts';

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

const LIMITS = {
  workers: { least: 0, most: 1024 },
  maxQueue: { least: 1, most: 1_000_000, default: 4096 },
  maxBatch: { least: 1, most: 256, default: 64 },
} as const;

/**
 * Checks a number among the options of an engine.
 *
 * @throws ProofgateError `engine.option` if it is not a whole number in its range
 */
export function countOption(name: keyof typeof LIMITS, value: unknown): number {
  const { least, most } = LIMITS[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ProofgateError('engine.option', `${name}: expected a whole number from ${least} to ${most}`);
}

/** Returns the limits of queue and batches, checked by `countOption`. */
export function queueOptions(options: { readonly maxQueue?: unknown; readonly maxBatch?: unknown }): {
  readonly maxQueue: number;
  readonly maxBatch: number;
} {
  return {
    maxQueue: countOption('maxQueue', options.maxQueue ?? LIMITS.maxQueue.default),
    maxBatch: countOption('maxBatch', options.maxBatch ?? LIMITS.maxBatch.default),
  };
}

/**
 * Checks the option `backend`.
 *
 * @throws ProofgateError `engine.option`
 */
export function backendOption(value: unknown): BackendChoice {
  const known = BACKEND_CHOICES.find((choice) => choice === value);
  if (known !== undefined) return known;
  throw new ProofgateError('engine.option', `backend: expected one of ${BACKEND_CHOICES.join(', ')}`);
}
