/**
 * The proof engine: Groth16 over BN254, Poseidon, Poseidon2 and EdDSA in worker threads. `engine.ts` is the
 * interface; piscina and the two backends (native addon, WASM) stay inside this folder. Rules:
 * spec/engine.md#interface; `queue/` and `dispatch/` spec/engine.md#queue; `slots/`, `pool/` and `worker/`
 * spec/engine.md#workers; `backends/` spec/engine.md#choice-of-the-arithmetic; `keys.ts`
 * spec/engine.md#verifying-keys and spec/engine.md#signing-keys; `self-test/` spec/engine.md#self-test.
 *
 * Glossary:
 * - proof: 256 bytes, A ‖ B ‖ C. statement: a proof followed by its public inputs, as the engine takes it.
 * - call: any other operation of the core on bytes (a hash, a signature, the preparation of a key).
 * - source: the sender of a proof, by client address and app. suspect: a source, or all apps of an address, or
 *   a network, that sent bad proofs recently (`SuspectedSource`).
 * - group of sources: sources whose proofs are batched together: common (all that are not suspected), overflow
 *   (what common sources send beyond their share while anyone is suspected), or one suspect.
 * - queue: proofs of one verifying key and one group of sources, or calls of one operation, that may share a
 *   batch (`queue/`; `FairQueue` holds all of them and accounts for every proof in flight).
 * - batch: members of one queue that run together. member: one statement or call of a batch.
 * - slot: shared memory for one batch, published by the main thread and taken by a worker (`slots/`,
 *   `BatchSlots`). generation: the number of the use of a slot, which each verdict carries.
 * - verdict: the answer to a proof: valid, false, or refused with a code. result: the answer to a call.
 * - receiver: the object of a caller that takes the verdicts of its proofs, by index (`VerdictReceiver`).
 * - worker: a thread of the pool. task: a job that piscina sends to a worker, to serve the slots (`worker/`,
 *   `pool/`).
 * - dispatcher: moves batches from the queue to the slots, and answers back to the callers (`dispatch/`,
 *   `Dispatcher`).
 * - backend: how a thread reaches the core, addon or WASM. arithmetic: how the core computes field elements.
 *   lane: one element of a SIMD register (`backends/`).
 */
export {
  type Arithmetic,
  BACKEND_CHOICES,
  type BackendChoice,
  choiceOf,
  SHIPPED_CHOICES,
} from './backends/backend.ts';
export { BackendUnavailable } from './backends/choose-backend.ts';
export { answersOf, type BackendAnswers, differenceOf } from './backends/compare-backends.ts';
export { createEngine, type EngineOptions } from './create-engine.ts';
export type {
  Engine,
  EngineEvent,
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
