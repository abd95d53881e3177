/**
 * The proof engine: Groth16 over BN254, Poseidon, Poseidon2 and EdDSA in worker threads. `engine.ts` is the
 * interface; piscina and the two backends (native addon, WASM) stay inside this folder.
 */
export {
  type Arithmetic,
  BACKEND_CHOICES,
  type BackendChoice,
  choiceOf,
  SHIPPED_CHOICES,
} from './backends/arithmetic.ts';
export { compareBackends } from './backends/compare-backends.ts';
export { createEngine, type EngineOptions } from './create-engine.ts';
export type {
  Engine,
  EngineSettings,
  EngineStats,
  Histogram,
  ProofSource,
  Refusal,
  RegisterKeyOptions,
  Verdict,
  VerdictReceiver,
  VerifyOptions,
} from './engine.ts';
export type { EngineEvent } from './pool/executor.ts';
