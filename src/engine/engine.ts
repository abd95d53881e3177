import type { ErrorCode } from '../errors/catalogue.ts';
import type { ServiceError } from '../errors/service-error.ts';
import type { HistogramSample } from '../histogram.ts';
import type { Arithmetic, BackendChoice } from './backends/backend.ts';

/** Refusals of `verify`; each is a row of the error catalogue. */
export type Refusal = Extract<
  ErrorCode,
  | 'proof.length'
  | 'proof.decompression'
  | 'proof.coordinate_range'
  | 'proof.point_not_on_curve'
  | 'proof.point_not_in_subgroup'
  | 'input.count'
  | 'input.range'
  | 'engine.busy'
  | 'engine.draining'
  | 'engine.poison'
  | 'engine.cancelled'
  | 'engine.key_unknown'
>;

/** Verdict of one proof: valid, well-formed but false, or refused. */
export type Verdict =
  | { readonly ok: boolean; readonly code?: undefined }
  | { readonly ok: false; readonly code: Refusal };

/** The sender of a proof (spec/engine.md#suspected-sources). Its address is read only if a proof failed recently. */
export interface ProofSource {
  /** Client address as used for rate limits: an IPv6 address is reduced to its /64. */
  readonly address: string;
  /** The app for which the proof was sent, or the name of the interface if there is none. */
  readonly app: string;
}

/** Options of one verification. */
export interface VerifyOptions {
  /** Source of the proof: proofs of sources that recently sent bad ones are batched separately. */
  readonly source?: ProofSource;
  /** Once aborted, a waiting proof is refused with `engine.cancelled` when its turn comes. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
}

/** Options of the registration of a verifying key. */
export interface RegisterKeyOptions {
  /**
   * Accepts a key whose IC points are at infinity or in a simple relation to each other or to α, and receives one
   * sentence for each fault, with the statement that the fault makes provable. If absent, such a key is refused with
   * `key.degenerate_inputs`.
   */
  readonly onDegenerateInputs?: (faults: readonly string[]) => void;
  /** Skips the search for relations between the points: the key is known to have none. */
  readonly hasNoRelation?: boolean;
}

/**
 * Receiver of the verdicts of several proofs, by the index with which each was submitted. Its methods must
 * not throw.
 */
export interface VerdictReceiver {
  verdict(index: number, verdict: Verdict): void;
  /** @param fault - The reason why the proof has no verdict. */
  failed(index: number, fault: ServiceError): void;
}

/** Settings of the engine (spec/operations.md#engine-settings). */
export interface EngineSettings {
  /** Worker threads; 0 runs every batch in the calling thread, for debugging. */
  readonly workers: number;
  readonly backend: BackendChoice;
  /** Maximum number of waiting proofs and calls, over all keys and operations. */
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** 0: no timer, an idle worker takes all waiting proofs. */
  readonly maxBatchDelayMs: number;
}

/** A snapshot of the engine for metrics, readiness and `doctor`. */
export interface EngineStats {
  readonly backend: 'native' | 'wasm';
  readonly arithmetic: Arithmetic;
  /** Reason for the choice of backend and arithmetic, one sentence. */
  readonly reason: string;
  readonly workers: number;
  /** Workers that passed their self-test and can take work. */
  readonly readyWorkers: number;
  readonly workerRestarts: number;
  readonly poisoned: number;
  /** Combined batches that failed because of a bad proof, whose proofs were then checked further. */
  readonly brokenBatches: number;
  readonly queueDepth: number;
  readonly running: number;
  /** Proofs answered after batching, including poisoned ones. */
  readonly verified: number;
  readonly queueWaitSeconds: HistogramSample;
  readonly batchSize: HistogramSample;
  readonly runSeconds: HistogramSample;
}

/**
 * The proof engine: the only way the rest of the service reaches Groth16, Poseidon and EdDSA.
 * Field elements are 32 bytes, big-endian. A method that cannot start throws a `ServiceError`.
 */
export interface Engine {
  /**
   * Checks one Groth16 proof over BN254.
   *
   * @param keyId - A registered key.
   * @param proof - 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197); words 4 to 7 zero:
   *   compressed.
   * @param inputs - n × 32 bytes, each below r; n is the number of public inputs of the key.
   */
  verify(keyId: string, proof: Uint8Array, inputs: Uint8Array, options?: VerifyOptions): Promise<Verdict>;
  /**
   * Checks one of many proofs, without a promise for each. Calls the receiver once, possibly before this returns.
   *
   * @param statement - Proof ‖ inputs as for `verify`; must not change before the answer.
   */
  verifyStatement(
    keyId: string,
    statement: Uint8Array,
    options: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
  ): void;
  /**
   * Whether `count` more proofs fit the queue now, so that a request is admitted as a whole or not at all. Valid until
   * the end of the current turn of the event loop.
   *
   * @param source - A source that sent bad proofs recently may fill only a part of the queue.
   */
  canAccept(count: number, source?: ProofSource): boolean;
  /** Number of public inputs of a registered key, or undefined. */
  inputCount(keyId: string): number | undefined;
  /**
   * Prepares a verifying key once, for all workers. A key under which anyone can forge proofs, because there is a known
   * relation between α, β, γ, δ and the generators, is refused with `key.forgeable` for all options.
   *
   * @param key - α(64) ‖ β(128) ‖ γ(128) ‖ δ(128) ‖ IC₀..ICₙ (64 each), words as in a proof.
   * @throws ServiceError `key.*`; the message names the point.
   */
  registerKey(keyId: string, key: Uint8Array, options?: RegisterKeyOptions): Promise<void>;
  /** Derives and keeps a signing key, and wipes the seed buffer. Returns x ‖ y (32 bytes each) ‖ compressed (32). */
  registerSigningKey(keyId: string, seed: Uint8Array): Promise<Uint8Array>;
  /** Signs a field element with EdDSA-Poseidon2; returns 64 bytes. */
  signCredentialHash(keyId: string, message: Uint8Array): Promise<Uint8Array>;
  /** @param publicKey - 32 bytes, compressed. */
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** Computes the Poseidon2 permutation of `width` elements (2, 3, 4, 8, 12, 16). */
  poseidon2(width: number, state: Uint8Array): Promise<Uint8Array>;
  /** Computes circomlib's Poseidon hash of 1 to 16 elements. */
  poseidon(inputs: Uint8Array): Promise<Uint8Array>;
  /**
   * Computes the root of a tree with a single leaf, at index 0 (spec/credential.md#authentication-proof), in one call.
   *
   * @param leaf - 32 bytes, below r.
   * @param depth - From 1 to 64, as for the tree of a verifying key.
   * @throws ServiceError `input.range` for a leaf that is not below r, `hash.input` for another shape
   */
  oneLeafRoot(leaf: Uint8Array, depth: number): Promise<Uint8Array>;
  /**
   * Computes multiples of a generator, for the setup of a circuit. The scalars must be public: the time
   * depends on them.
   *
   * @param scalars - k × 32 bytes, each below r.
   * @returns k × 64 bytes in G1, k × 128 in G2, words as in a proof, zeros for infinity.
   * @throws ServiceError `hash.input`, `input.range`
   */
  generatorMultiples(group: 'g1' | 'g2', scalars: Uint8Array): Promise<Uint8Array>;
  /**
   * Hashes bytes with the sponge of spec/credential.md#byte-hash; takes at most 256 KiB, or more if
   * `maxBatch` is above 2730.
   */
  hashBytes(tag: string, data: Uint8Array): Promise<Uint8Array>;
  stats(): EngineStats;
  /**
   * Changes the number of worker threads by replacing them. Accepted work is finished, and new work is accepted during
   * the change.
   *
   * @param workers - 0 runs every batch in the calling thread.
   * @throws ServiceError `engine.draining`, `engine.self_test_failed`, `engine.worker_failed`; the former threads then
   *   remain
   */
  setWorkers(workers: number): Promise<void>;
  /** Refuses new work, finishes accepted work, and ends the workers. */
  close(): Promise<void>;
}

/** Log event of the engine; never contains a proof, an input or a key. */
export type EngineEvent =
  | {
      readonly event: 'engine.started';
      readonly backend: string;
      readonly arithmetic: string;
      readonly reason: string;
    }
  | { readonly event: 'engine.arithmetic_refused'; readonly arithmetic: string; readonly reason: string }
  | {
      readonly event: 'engine.worker_lost';
      readonly threadId: number;
      readonly exitCode: number;
      readonly restarts: number;
    }
  | { readonly event: 'engine.worker_error'; readonly reason: string }
  | { readonly event: 'engine.worker_ready'; readonly threadId: number }
  | { readonly event: 'engine.failed'; readonly reason: string }
  | {
      readonly event: 'engine.batch_lost';
      readonly queue: string;
      readonly items: number;
      readonly reason: string;
    }
  | { readonly event: 'engine.poisoned'; readonly queue: string };
