import { availableParallelism } from 'node:os';
import { type Arithmetic, BACKEND_CHOICES, type BackendChoice } from '../../engine/backends/arithmetic.ts';
import { createEngine as startEngine } from '../../engine/create-engine.ts';
import type { Engine as ProofEngine } from '../../engine/engine.ts';
import { EngineFacade } from '../facade/engine-facade.ts';
import { ProofgateError, publicError } from '../facade/proofgate-error.ts';
import { NodeCore } from './node-core.ts';

/** Options of `createEngine`. */
export interface EngineOptions {
  /** Worker threads (default: one fewer than the processor has, at least 1); 0 checks in the calling thread. */
  readonly workers?: number;
  /** `auto` takes the native addon if it runs here, else WebAssembly (default). */
  readonly backend?: BackendChoice;
  /** Proofs that may wait (default 4096); beyond them `verify` rejects with `engine.busy`. */
  readonly maxQueue?: number;
  /** Proofs that are checked together (default 64, at most 256). */
  readonly maxBatch?: number;
}

/** A snapshot of an engine. */
export interface EngineStats {
  readonly backend: 'native' | 'wasm';
  readonly arithmetic: Arithmetic;
  /** Why this backend and arithmetic were chosen, in one sentence. */
  readonly reason: string;
  readonly workers: number;
  readonly readyWorkers: number;
  /** Threads that ended unexpectedly and were replaced. */
  readonly workerRestarts: number;
  /** Proofs that wait. */
  readonly queueDepth: number;
  /** Proofs that are being checked. */
  readonly running: number;
  /** Proofs that were answered. */
  readonly verified: number;
}

const DEFAULT_QUEUE = 4096;
const DEFAULT_BATCH = 64;
const LIMITS = { workers: [0, 1024], maxQueue: [1, 1_000_000], maxBatch: [1, 256] } as const;

/** The engine in Node; `await using` closes it. An idle engine does not keep the process alive. */
export class Engine extends EngineFacade {
  readonly #engine: ProofEngine;

  /** @internal Made by `createEngine`. */
  constructor(engine: ProofEngine, core: NodeCore) {
    super(core);
    this.#engine = engine;
  }

  /** Returns counts and the chosen backend. */
  stats(): EngineStats {
    const {
      backend,
      arithmetic,
      reason,
      workers,
      readyWorkers,
      workerRestarts,
      queueDepth,
      running,
      verified,
    } = this.#engine.stats();
    return {
      backend,
      arithmetic,
      reason,
      workers,
      readyWorkers,
      workerRestarts,
      queueDepth,
      running,
      verified,
    };
  }
}

/**
 * Starts an engine and waits until its workers have passed their self-test.
 *
 * @throws ProofgateError `engine.option` for an option out of range, `engine.backend_unavailable`,
 * `engine.self_test_failed`, `engine.worker_failed`
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const settings = {
    workers: optionOf('workers', options.workers ?? Math.max(1, availableParallelism() - 1)),
    maxQueue: optionOf('maxQueue', options.maxQueue ?? DEFAULT_QUEUE),
    maxBatch: optionOf('maxBatch', options.maxBatch ?? DEFAULT_BATCH),
    backend: backendOf(options.backend ?? 'auto'),
    maxBatchDelayMs: 0,
  };
  try {
    const engine = await startEngine(settings);
    return new Engine(engine, new NodeCore(engine, settings));
  } catch (error) {
    throw publicError(error);
  }
}

function optionOf(name: keyof typeof LIMITS, value: unknown): number {
  const [least, most] = LIMITS[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ProofgateError('engine.option', `${name}: expected a whole number from ${least} to ${most}`);
}

function backendOf(value: unknown): BackendChoice {
  const known = BACKEND_CHOICES.find((choice) => choice === value);
  if (known !== undefined) return known;
  throw new ProofgateError('engine.option', `backend: expected one of ${BACKEND_CHOICES.join(', ')}`);
}
