import type { ProofgateWasm } from '../../../wasm/artifact/proofgate_wasm.js';
import { isEqual, joinBytes } from '../../bytes.ts';
import { parseRefusal, type WasmArithmetic } from '../../engine/backends/backend.ts';
import {
  degenerateKeyError,
  faultsOf,
  inputCountOf,
  verdictOfByte,
  withUnusedInputs,
} from '../../engine/encoding.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import type { CoreVerdict, EngineStats } from '../facade/engine-core.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';
import { nextTurn, QueuedCore } from './batch-queue.ts';
import { type Instantiate, WasmInstance } from './load-module.ts';

/** A tested module, and limits of the queue. */
export interface WebCoreSettings {
  readonly module: WebAssembly.Module;
  readonly arithmetic: WasmArithmetic;
  readonly reason: string;
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** Creates the instances; tests pass their own. */
  readonly instantiate?: Instantiate;
}

interface Key {
  readonly bytes: Uint8Array;
  readonly inputCount: number;
  /** Faults of its IC points, one sentence each. */
  readonly faults: readonly string[];
  /** Handle in the instance with the number `instance`. */
  handle: number;
  instance: number;
}

const SEED_BYTES = 32;
const POISON: CoreVerdict = Object.freeze({ ok: false, code: 'engine.poison' });

/**
 * The core outside Node: one WASM instance in the calling thread. A batch that traps discards the instance; its
 * statements are then checked one by one in new ones, and a statement that traps again fails.
 */
export class WebCore extends QueuedCore<Key> {
  readonly #settings: WebCoreSettings;
  readonly #instance: WasmInstance;

  constructor(settings: WebCoreSettings) {
    super({ ...settings, inFlight: 1 });
    this.#settings = settings;
    this.#instance = new WasmInstance(settings.module, settings.instantiate);
  }

  async addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void> {
    const bytes = new Uint8Array(key);
    const inputCount = inputCountOf(bytes);
    const known = this.keys.get(keyId);
    if (known !== undefined && !isEqual(known.bytes, bytes))
      throw new ProofgateError('key.conflict', `another verifying key has the id ${keyId}`);
    const faults = known?.faults ?? this.#faultsOf(bytes);
    if (faults.length > 0 && !acceptsDegenerate) throw degenerateKeyError(faults);
    if (known === undefined) this.keys.set(keyId, { bytes, inputCount, faults, ...this.#prepare(bytes) });
  }

  stats(): EngineStats {
    const { arithmetic, reason } = this.#settings;
    return {
      backend: 'wasm',
      arithmetic,
      reason,
      workers: 0,
      readyWorkers: 0,
      workerRestarts: this.#instance.discarded,
      ...this.queueStats(),
    };
  }

  async close(): Promise<void> {
    await this.queue.drained();
    this.keys.clear();
    this.#instance.discard();
  }

  protected async check(key: Key, statements: readonly Uint8Array[]): Promise<readonly CoreVerdict[]> {
    const together = this.#attempt(key, statements);
    if (together !== undefined) return together;
    const verdicts: CoreVerdict[] = [];
    for (const statement of statements) {
      await nextTurn();
      verdicts.push(this.#attempt(key, [statement])?.[0] ?? POISON);
    }
    return verdicts;
  }

  /** Checks statements together; discards the instance and returns undefined if it traps. */
  #attempt(key: Key, statements: readonly Uint8Array[]): readonly CoreVerdict[] | undefined {
    const handle = this.#handleOf(key);
    const { functions } = this.#instance;
    try {
      const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
      return Array.from(functions.verifyBatch(handle, joinBytes(statements), seed), verdictOf);
    } catch {
      this.#instance.discard();
      return undefined;
    }
  }

  #handleOf(key: Key): number {
    if (key.instance !== this.#instance.discarded) Object.assign(key, this.#prepare(key.bytes));
    return key.handle;
  }

  /** Prepares a key in the current instance. @throws ProofgateError `key.*`, `engine.worker_failed` */
  #prepare(bytes: Uint8Array): Pick<Key, 'handle' | 'instance'> {
    const handle = this.#refusing((functions) => functions.prepareKey(bytes));
    return { handle, instance: this.#instance.discarded };
  }

  #faultsOf(bytes: Uint8Array): readonly string[] {
    try {
      return this.#refusing((functions) => faultsOf(functions.keyFaults(bytes)));
    } catch (error) {
      throw withUnusedInputs(error, bytes);
    }
  }

  /** Runs a call of the current instance. @throws ServiceError `key.*`; ProofgateError `engine.worker_failed` */
  #refusing<T>(call: (functions: ProofgateWasm) => T): T {
    try {
      return call(this.#instance.functions);
    } catch (error) {
      const refusal = parseRefusal(error);
      if (refusal) throw new ServiceError(refusal.code as ErrorCode, refusal.detail, {}, { cause: error });
      this.#instance.discard();
      throw new ProofgateError('engine.worker_failed', messageOf(error), { cause: error });
    }
  }
}

function verdictOf(byte: number): CoreVerdict {
  const verdict = verdictOfByte(byte);
  if (verdict === undefined) throw new Error(`no verdict has the byte ${byte}`);
  return verdict;
}
