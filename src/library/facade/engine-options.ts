import { BACKEND_CHOICES, type BackendChoice } from '../../engine/backends/backend.ts';
import { ProofgateError } from './proofgate-error.ts';

/** Options of an engine in every runtime. */
export interface EngineOptions {
  /**
   * Worker threads in Node (default: one fewer than the processor has, at least 1); 0 checks in the calling thread.
   * Outside Node it is accepted, for programs that run in both, and ignored.
   */
  readonly workers?: number;
  /**
   * `auto` takes the native addon if it runs here, else WebAssembly (default). Outside Node, `auto` and `wasm` take the
   * best module that runs here: relaxed SIMD, SIMD or scalar. A module by its name: `wasm-relaxed`, `wasm-simd`,
   * `wasm-scalar`.
   */
  readonly backend?: BackendChoice;
  /** Maximum number of waiting proofs (default 4096); beyond it `verify` rejects with `engine.busy`. */
  readonly maxQueue?: number;
  /** Maximum number of proofs in a batch (default 64, at most 256). */
  readonly maxBatch?: number;
}

/**
 * Checks the options of an engine and fills in defaults.
 *
 * @param defaultWorkers - Of the runtime.
 * @throws ProofgateError `engine.option` for a number out of range, or an unknown backend
 */
export function checkOptions(options: EngineOptions, defaultWorkers: number): Required<EngineOptions> {
  return {
    workers: count('workers', options.workers ?? defaultWorkers, 0, 1024),
    backend: checkBackend(options.backend ?? 'auto'),
    maxQueue: count('maxQueue', options.maxQueue ?? 4096, 1, 1_000_000),
    maxBatch: count('maxBatch', options.maxBatch ?? 64, 1, 256),
  };
}

function count(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ProofgateError('engine.option', `${name}: expected a whole number from ${least} to ${most}`);
}

function checkBackend(value: unknown): BackendChoice {
  const known = BACKEND_CHOICES.find((choice) => choice === value);
  if (known !== undefined) return known;
  throw new ProofgateError('engine.option', `backend: expected one of ${BACKEND_CHOICES.join(', ')}`);
}
