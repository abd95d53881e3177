import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors/service-error.ts';
import type { ChosenBackend } from './backends/choose-backend.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { INPUT_BYTES, PROOF_BYTES, refusal, statementBytes } from './encoding.ts';
import type {
  Engine,
  EngineEvent,
  EngineSettings,
  EngineStats,
  ProofSource,
  Refusal,
  RegisterKeyOptions,
  Verdict,
  VerdictReceiver,
  VerifyOptions,
} from './engine.ts';
import { Keys } from './keys.ts';
import type { CallOperation, KeyReference } from './operation.ts';
import type { Executor } from './pool/executor.ts';
import type { ProofKey } from './queue/work-queues.ts';
import { MAX_KEY_BYTES, maxCallBytes } from './slots/slot-layout.ts';
import { MAX_TREE_DEPTH } from './worker/one-leaf-tree.ts';

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const NO_OPTIONS: VerifyOptions = {};

/** Starts an executor with this number of worker threads, 0 for the calling thread; each has passed its self-test. */
export type StartExecutor = (workers: number) => Promise<Executor>;

/** The engine on top of an executor. `createEngine` creates it; tests create it with their own executor. */
export class ProofEngine implements Engine {
  readonly #settings: EngineSettings;
  readonly #backend: ChosenBackend;
  readonly #log: (event: EngineEvent) => void;
  readonly #startExecutor: StartExecutor;
  #executor: Executor;
  #dispatcher: Dispatcher;
  #workers: number;
  /** Threads that former executors have replaced. */
  #formerRestarts = 0;
  #resizing: Promise<void> = Promise.resolve();
  readonly #keys: Keys;
  readonly #verifyingKeys = new Map<string, ProofKey>();
  readonly #maxCallBytes: number;
  #closed: Promise<void> | undefined;

  constructor(
    settings: EngineSettings,
    backend: ChosenBackend,
    executor: Executor,
    log: (event: EngineEvent) => void,
    startExecutor: StartExecutor,
  ) {
    this.#settings = settings;
    this.#workers = settings.workers;
    this.#log = log;
    this.#startExecutor = startExecutor;
    this.#maxCallBytes = maxCallBytes(settings.maxBatch);
    this.#backend = backend;
    this.#executor = executor;
    this.#dispatcher = new Dispatcher(executor, settings, log);
    this.#keys = new Keys(backend.native, (operation, bytes) => this.#call(operation, bytes));
  }

  /** The live worker threads; tests end some of them. */
  get threads(): readonly Worker[] {
    return this.#executor.threads;
  }

  verify(
    keyId: string,
    proof: Uint8Array,
    inputs: Uint8Array,
    options: VerifyOptions = NO_OPTIONS,
  ): Promise<Verdict> {
    const key = this.#verifyingKeys.get(keyId);
    if (!key) return Promise.resolve(refusal('engine.key_unknown'));
    if (proof.length !== PROOF_BYTES) return Promise.resolve(refusal('proof.length'));
    if (inputs.length !== key.inputCount * INPUT_BYTES) return Promise.resolve(refusal('input.count'));
    return new Promise((resolve, reject) => {
      const receiver: VerdictReceiver = {
        verdict: (_index, verdict) => resolve(verdict),
        failed: (_index, fault) => reject(fault),
      };
      this.verifyStatement(keyId, statementOf(proof, inputs), options, receiver, 0);
    });
  }

  verifyStatement(
    keyId: string,
    statement: Uint8Array,
    options: VerifyOptions,
    receiver: VerdictReceiver,
    index: number,
  ): void {
    const key = this.#verifyingKeys.get(keyId);
    if (!key) {
      receiver.verdict(index, refusal('engine.key_unknown'));
      return;
    }
    const code = this.#refusalOf(key, statement, options);
    const { failure } = this.#dispatcher;
    if (code !== undefined) receiver.verdict(index, refusal(code));
    else if (failure !== undefined) receiver.failed(index, new ServiceError('engine.worker_failed', failure));
    else this.#dispatcher.addProof(key, statement, options, receiver, index);
  }

  canAccept(count: number, source?: ProofSource): boolean {
    return !this.#closed && this.#dispatcher.hasRoomFor(count, source);
  }

  inputCount(keyId: string): number | undefined {
    return this.#verifyingKeys.get(keyId)?.inputCount;
  }

  async registerKey(keyId: string, key: Uint8Array, options: RegisterKeyOptions = {}): Promise<void> {
    this.#refuseWhenClosed();
    await this.#keys.addVerifying(keyId, key, options);
    const added = this.#keys.verifying(keyId);
    if (!added || this.#verifyingKeys.has(keyId)) return;
    const { reference, inputCount } = added;
    const maxBatch = this.#executor.slots.roomFor(inputCount);
    this.#verifyingKeys.set(keyId, { keyId, reference, inputCount, maxBatch });
  }

  async registerSigningKey(keyId: string, seed: Uint8Array): Promise<Uint8Array> {
    try {
      this.#refuseWhenClosed();
      return await this.#keys.addSigning(keyId, seed);
    } finally {
      seed.fill(0);
    }
  }

  async signCredentialHash(keyId: string, message: Uint8Array): Promise<Uint8Array> {
    const key = this.#signingKey(keyId);
    if (message.length !== INPUT_BYTES) {
      throw new ServiceError('input.count', `expected a message of 32 bytes, got ${message.length} bytes`);
    }
    return await this.#call({ call: 'sign', key }, message);
  }

  async verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    // The parts travel as one item; as their lengths are fixed, the boundaries are unambiguous.
    if (publicKey.length !== PUBLIC_KEY_BYTES || message.length !== INPUT_BYTES) return false;
    if (signature.length !== SIGNATURE_BYTES) return false;
    const [answer] = await this.#call(
      { call: 'verifySignature' },
      Buffer.concat([publicKey, message, signature]),
    );
    return answer === 1;
  }

  async poseidon2(width: number, state: Uint8Array): Promise<Uint8Array> {
    if (state.length !== width * INPUT_BYTES) {
      throw new ServiceError(
        'hash.input',
        `expected ${width} elements of 32 bytes, got ${state.length} bytes`,
      );
    }
    return await this.#call({ call: 'poseidon2', width }, state);
  }

  async poseidon(inputs: Uint8Array): Promise<Uint8Array> {
    return await this.#call({ call: 'poseidon' }, inputs);
  }

  async oneLeafRoot(leaf: Uint8Array, depth: number): Promise<Uint8Array> {
    if (leaf.length !== INPUT_BYTES) {
      throw new ServiceError('hash.input', `expected a leaf of 32 bytes, got ${leaf.length} bytes`);
    }
    if (!Number.isInteger(depth) || depth < 1 || depth > MAX_TREE_DEPTH) {
      throw new ServiceError('hash.input', `expected a depth from 1 to ${MAX_TREE_DEPTH}, got ${depth}`);
    }
    return await this.#call({ call: 'oneLeafRoot', depth }, leaf);
  }

  async generatorMultiples(group: 'g1' | 'g2', scalars: Uint8Array): Promise<Uint8Array> {
    // One after another: they take one place in the queue, for any number of parts.
    const parts: Uint8Array[] = [];
    for (let from = 0; from === 0 || from < scalars.length; from += this.#maxCallBytes) {
      const part = scalars.subarray(from, from + this.#maxCallBytes);
      parts.push(await this.#call({ call: `${group}Multiples` }, part));
    }
    return new Uint8Array(Buffer.concat(parts));
  }

  async hashBytes(tag: string, data: Uint8Array): Promise<Uint8Array> {
    if (Buffer.byteLength(tag) > MAX_KEY_BYTES) {
      throw new ServiceError('hash.input', `expected a tag of at most ${MAX_KEY_BYTES} bytes`);
    }
    return await this.#call({ call: 'hashBytes', tag }, data);
  }

  stats(): EngineStats {
    const { depth, stats } = this.#dispatcher;
    return {
      backend: this.#backend.source.kind,
      arithmetic: this.#backend.arithmetic,
      reason: this.#backend.reason,
      workers: this.#workers,
      readyWorkers: this.#executor.readyCount,
      workerRestarts: this.#formerRestarts + this.#executor.restarts,
      poisoned: stats.poisoned,
      brokenBatches: stats.brokenBatches,
      queueDepth: depth,
      running: stats.running,
      verified: stats.verified,
      queueWaitSeconds: stats.queueWaitSeconds.sample(),
      batchSize: stats.batchSize.sample(),
      runSeconds: stats.runSeconds.sample(),
    };
  }

  setWorkers(workers: number): Promise<void> {
    const resized = this.#resizing.then(() => this.#resize(workers));
    this.#resizing = resized.catch(() => undefined);
    return resized;
  }

  /** Releases the keys, which native code keeps for the process, at once: for a thread that ends without `close`. */
  abandon(): void {
    this.#keys.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** New threads are ready before the former ones finish their batches, so that nothing waits and nothing is lost. */
  async #resize(workers: number): Promise<void> {
    this.#refuseWhenClosed();
    if (workers === this.#workers) return;
    const executor = await this.#startExecutor(workers);
    const [formerExecutor, former] = [this.#executor, this.#dispatcher];
    this.#executor = executor;
    this.#dispatcher = new Dispatcher(executor, this.#settings, this.#log, former);
    this.#workers = workers;
    await former.retire();
    this.#formerRestarts += formerExecutor.restarts;
    await formerExecutor.close();
  }

  async #close(): Promise<void> {
    await this.#resizing;
    await this.#dispatcher.drain();
    await this.#executor.close();
    this.#keys.close();
  }

  /** Returns the code with which a proof cannot be queued, or undefined. */
  #refusalOf(
    { inputCount }: ProofKey,
    statement: Uint8Array,
    { signal, source }: VerifyOptions,
  ): Refusal | undefined {
    if (statement.length !== statementBytes(inputCount)) return 'input.count';
    if (this.#closed) return 'engine.draining';
    if (signal?.aborted) return 'engine.cancelled';
    return this.#dispatcher.hasRoomFor(1, source) ? undefined : 'engine.busy';
  }

  #signingKey(keyId: string): KeyReference {
    const key = this.#keys.signing(keyId);
    if (key) return key;
    throw new ServiceError('engine.key_unknown', `no signing key has the id ${keyId}`);
  }

  /**
   * Throws if the engine is closing or has failed. Keys in preparation when `close` begins are finished, since they
   * were accepted.
   */
  #refuseWhenClosed(): void {
    if (this.#closed) throw new ServiceError('engine.draining');
    const { failure } = this.#dispatcher;
    if (failure !== undefined) throw new ServiceError('engine.worker_failed', failure);
  }

  async #call(operation: CallOperation, bytes: Uint8Array): Promise<Uint8Array> {
    this.#refuseWhenClosed();
    if (bytes.length > this.#maxCallBytes) {
      const expected = `expected at most ${this.#maxCallBytes} bytes`;
      throw new ServiceError('hash.input', `${expected}, got ${bytes.length} bytes`);
    }
    if (!this.#dispatcher.hasRoomFor(1)) throw new ServiceError('engine.busy');
    return await new Promise((resolve, reject) => {
      // A copy: the caller may change its bytes afterwards.
      this.#dispatcher.addCall(operation, { bytes: new Uint8Array(bytes), resolve, reject });
    });
  }
}

/** Copies a proof and its inputs to one statement; the caller may change its own bytes afterwards. */
export function statementOf(proof: Uint8Array, inputs: Uint8Array): Uint8Array {
  // From Node's buffer pool: a separate allocation would cost microseconds.
  const statement = Buffer.allocUnsafe(proof.length + inputs.length);
  statement.set(proof);
  statement.set(inputs, proof.length);
  return statement;
}
