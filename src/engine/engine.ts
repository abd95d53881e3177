import type { ErrorCode, ServiceError } from '../errors/index.ts';
import type { Arithmetic, BackendChoice } from './backends/arithmetic.ts';

/** Refusals of `verify`: a row of the error catalogue each. */
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

/** What the engine says of one proof: it holds, it is well formed but false, or it was refused. */
export type Verdict =
  | { readonly ok: boolean; readonly code?: undefined }
  | { readonly ok: false; readonly code: Refusal };

/** Who sent a proof (verify.md 6.1). Asked for its address only when it failed, or another failed lately. */
export interface ProofSource {
  /** Client address as rate limits take it: IPv6 by its /64. */
  readonly address: string;
  /** What was asked: an app, or a name of its own where there is none. */
  readonly app: string;
}

/** Options of one verification. */
export interface VerifyOptions {
  /** Sources that sent bad proofs lately are batched apart. */
  readonly source?: ProofSource;
  /** Once aborted, the proof is not begun any more; the answer is then `engine.cancelled`, when its turn comes. */
  readonly signal?: Pick<AbortSignal, 'aborted'>;
}

/** Options of the registration of a verifying key. */
export interface RegisterKeyOptions {
  /**
   * Takes a key whose IC points are equal, opposite or at infinity, and is told of each in one sentence that names the
   * public input. If absent, such a key is refused with `key.degenerate_inputs`.
   */
  readonly onDegenerateInputs?: (faults: readonly string[]) => void;
}

/** Who gets the answers of several proofs, by the number under which each was handed in. Its methods throw nothing. */
export interface VerdictReceiver {
  verdict(index: number, verdict: Verdict): void;
  /** @param fault - Why nothing can be said of the proof. */
  failed(index: number, fault: ServiceError): void;
}

/** Settings of the engine (operations.md 2). */
export interface EngineSettings {
  /** Worker threads; 0 runs every batch in the calling thread, for debugging. */
  readonly workers: number;
  readonly backend: BackendChoice;
  /** Proofs that may wait, summed over keys. */
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** 0: no timer, an idle worker takes all that waits. */
  readonly maxBatchDelayMs: number;
}

/** Cumulative histogram: `counts[i]` values were at most `bounds[i]`; the last count has no bound. */
export interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** A snapshot of the engine for metrics, readiness and `doctor`. */
export interface EngineStats {
  readonly backend: 'native' | 'wasm';
  readonly arithmetic: Arithmetic;
  /** Why this backend and arithmetic were chosen, in one sentence. */
  readonly reason: string;
  readonly workers: number;
  /** Workers that passed their self-test and can take work. */
  readonly readyWorkers: number;
  readonly workerRestarts: number;
  readonly poisoned: number;
  /** Batches whose combination failed for a bad proof, so that its members were looked at further. */
  readonly brokenBatches: number;
  readonly queueDepth: number;
  readonly running: number;
  readonly verified: number;
  readonly queueWaitSeconds: Histogram;
  readonly batchSize: Histogram;
  readonly runSeconds: Histogram;
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
   * @param proof - 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0 (EIP-197); words 4 to 7 zero: compressed.
   * @param inputs - n × 32 bytes, each below r, n as the key has.
   */
  verify(keyId: string, proof: Uint8Array, inputs: Uint8Array, options?: VerifyOptions): Promise<Verdict>;
  /**
   * The same for one proof of many, without a promise for each. The receiver is called once, maybe before this returns.
   *
   * @param statement - Proof ‖ inputs as of `verify`, not to be changed before the answer.
   */
  verifyStatement(
    keyId: string,
    statement: Uint8Array,
    options: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
  ): void;
  /**
   * Whether `count` more proofs fit the queue now; a request is admitted as a whole or not at all.
   * The answer holds until the current turn of the event loop ends.
   *
   * @param source - One that sent bad proofs lately may fill a part of the queue only.
   */
  canAccept(count: number, source?: ProofSource): boolean;
  /** Number of public inputs of a registered key, or undefined. */
  inputCount(keyId: string): number | undefined;
  /**
   * Prepares a verifying key once, for all workers. A key under which anyone can forge proofs, because α, β, γ, δ and
   * the generators are small multiples of each other, is refused with `key.forgeable` whatever the options say.
   *
   * @param key - α(64) ‖ β(128) ‖ γ(128) ‖ δ(128) ‖ IC₀..ICₙ (64 each), words as in a proof.
   * @throws ServiceError `key.*`; the message names the point.
   */
  registerKey(keyId: string, key: Uint8Array, options?: RegisterKeyOptions): Promise<void>;
  /** Derives and keeps a signing key; the seed buffer is wiped. Gives x ‖ y (32 bytes each) ‖ compressed (32). */
  registerSigningKey(keyId: string, seed: Uint8Array): Promise<Uint8Array>;
  /** EdDSA-Poseidon2 signature, 64 bytes, of a field element. */
  signCredentialHash(keyId: string, message: Uint8Array): Promise<Uint8Array>;
  /** @param publicKey - 32 bytes, compressed. */
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** Poseidon2 permutation of `width` elements (2, 3, 4, 8, 12, 16). */
  poseidon2(width: number, state: Uint8Array): Promise<Uint8Array>;
  /** circomlib Poseidon of one or two elements. */
  poseidon(inputs: Uint8Array): Promise<Uint8Array>;
  /**
   * Root of the tree that holds one leaf, at index 0 (credential.md section 11); all its hashes are one call.
   *
   * @param leaf - 32 bytes, below r.
   * @param depth - From 1 to 64, as a verifying key may have.
   * @throws ServiceError `input.range` for a leaf that is not below r, `hash.input` for another shape
   */
  oneLeafRoot(leaf: Uint8Array, depth: number): Promise<Uint8Array>;
  /**
   * Multiples of a generator by scalars that are public: its time depends on them. For the setup of a circuit.
   *
   * @param scalars - k × 32 bytes, each below r.
   * @returns k × 64 bytes in G1, k × 128 in G2, words as in a proof, zeros for infinity.
   * @throws ServiceError `input.count`, `input.range`
   */
  generatorMultiples(group: 'g1' | 'g2', scalars: Uint8Array): Promise<Uint8Array>;
  /** The byte sponge of credential.md section 4. */
  hashBytes(tag: string, data: Uint8Array): Promise<Uint8Array>;
  stats(): EngineStats;
  /** Takes no new work, finishes what was accepted, ends the workers. */
  close(): Promise<void>;
}
