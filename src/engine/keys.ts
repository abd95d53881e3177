import { ServiceError } from '../errors/service-error.ts';
import type { Backend } from './backends/backend.ts';
import { degenerateKeyError, faultsOf, inputCountOf, withUnusedInputs } from './encoding.ts';
import type { RegisterKeyOptions } from './engine.ts';
import type { CallOperation, KeyReference } from './operation.ts';

/** Runs one call in a worker. */
export type RunCall = (operation: CallOperation, bytes: Uint8Array) => Promise<Uint8Array>;

/** A registered verifying key. */
export interface VerifyingKey {
  readonly reference: KeyReference;
  readonly inputCount: number;
  readonly bytes: Uint8Array;
  /** Faults of its IC points, one sentence each. */
  readonly faults: readonly string[];
}

interface SigningKey {
  readonly reference: KeyReference;
  /** x ‖ y ‖ compressed. */
  readonly publicKey: Uint8Array;
}

const SEED_BYTES = 32;

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Reports faults to a caller that accepts them. @throws ServiceError `key.degenerate_inputs` for any other caller */
function judgeFaults(faults: readonly string[], { onDegenerateInputs }: RegisterKeyOptions): void {
  if (faults.length === 0) return;
  if (!onDegenerateInputs) throw degenerateKeyError(faults);
  onDegenerateInputs(faults);
}

function wipe({ source }: KeyReference): void {
  if (typeof source !== 'number') source.fill(0);
}

/**
 * The keys of one engine. The addon keeps them for the whole process, from any thread, so a batch contains a handle and
 * no secret stays in JavaScript. With WASM each worker has its own memory: the bytes stay here and are sent with each
 * batch, each instance prepares them on first use, and seeds are wiped when the engine closes.
 */
export class Keys {
  readonly #native: Backend | undefined;
  readonly #call: RunCall;
  readonly #verifying = new Map<string, VerifyingKey>();
  readonly #verifyingPending = new Map<string, Promise<void>>();
  readonly #signing = new Map<string, SigningKey>();
  #nextId = 1;

  /** @param native - The addon in this thread, or undefined with WASM. */
  constructor(native: Backend | undefined, call: RunCall) {
    this.#native = native;
    this.#call = call;
  }

  verifying(keyId: string): VerifyingKey | undefined {
    return this.#verifying.get(keyId);
  }

  /** @throws ServiceError `key.*`, `key.conflict` for other bytes under a known id */
  async addVerifying(keyId: string, key: Uint8Array, options: RegisterKeyOptions): Promise<void> {
    // A copy: the caller may change the bytes during the awaits below.
    const bytes = new Uint8Array(key);
    const inputCount = inputCountOf(bytes);
    // Of two concurrent calls with one id, the second waits for the key that the first registers.
    for (let other = this.#verifyingPending.get(keyId); other; other = this.#verifyingPending.get(keyId)) {
      await other.catch(() => undefined);
    }
    const known = this.#verifying.get(keyId);
    if (known && !isEqual(known.bytes, bytes))
      throw new ServiceError('key.conflict', `another verifying key has the id ${keyId}`);
    // Judged in every call: faults accepted by one caller are not accepted for another.
    if (known) return judgeFaults(known.faults, options);
    const added = this.#addVerifying(keyId, { bytes, inputCount }, options);
    this.#verifyingPending.set(keyId, added);
    try {
      await added;
    } finally {
      this.#verifyingPending.delete(keyId);
    }
  }

  async #addVerifying(
    keyId: string,
    { bytes, inputCount }: Pick<VerifyingKey, 'bytes' | 'inputCount'>,
    options: RegisterKeyOptions,
  ): Promise<void> {
    // The search and the preparation run in a worker: they take milliseconds, too long for the event loop of the main thread.
    const faults = options.hasNoRelation ? [] : await this.#faultsOf(bytes);
    judgeFaults(faults, options);
    const reference = { id: this.#newId(), source: bytes };
    const handle = await this.#call({ call: 'prepareKey', key: reference }, new Uint8Array(0));
    const source = this.#native
      ? new DataView(handle.buffer, handle.byteOffset).getUint32(0)
      : reference.source;
    this.#verifying.set(keyId, { reference: { ...reference, source }, inputCount, bytes, faults });
  }

  async #faultsOf(bytes: Uint8Array): Promise<readonly string[]> {
    try {
      return faultsOf(Buffer.from(await this.#call({ call: 'keyFaults' }, bytes)).toString());
    } catch (error) {
      throw withUnusedInputs(error, bytes);
    }
  }

  signing(keyId: string): KeyReference | undefined {
    return this.#signing.get(keyId)?.reference;
  }

  /**
   * @param seed - 32 bytes, wiped before this returns even if it is refused.
   * @throws ServiceError `signing_key.length`, `key.conflict` for another seed under a known id
   */
  addSigning(keyId: string, seed: Uint8Array): Promise<Uint8Array> {
    try {
      if (seed.length !== SEED_BYTES) {
        const detail = `expected a seed of ${SEED_BYTES} bytes, got ${seed.length}`;
        return Promise.reject(new ServiceError('signing_key.length', detail));
      }
      const source = this.#native ? this.#native.functions.createSigningKey(seed) : new Uint8Array(seed);
      return this.#addSigning(keyId, { id: this.#newId(), source });
    } finally {
      seed.fill(0);
    }
  }

  /** Releases the keys in the addon and wipes the seeds. */
  close(): void {
    for (const { reference } of this.#verifying.values()) this.#releaseVerifying(reference);
    for (const { reference } of this.#signing.values()) this.#releaseSigning(reference);
    this.#verifying.clear();
    this.#signing.clear();
  }

  async #addSigning(keyId: string, reference: KeyReference): Promise<Uint8Array> {
    try {
      const publicKey = this.#native
        ? this.#native.functions.publicKey(reference.source as number)
        : await this.#call({ call: 'publicKey', key: reference }, new Uint8Array(0));
      const known = this.#signing.get(keyId);
      if (!known) {
        this.#signing.set(keyId, { reference, publicKey });
        return publicKey.slice();
      }
      this.#releaseSigning(reference);
      if (isEqual(known.publicKey, publicKey)) return publicKey.slice();
      throw new ServiceError('key.conflict', `another signing key has the id ${keyId}`);
    } catch (error) {
      if (this.#signing.get(keyId)?.reference !== reference) wipe(reference);
      throw error;
    }
  }

  #releaseVerifying({ source }: KeyReference): void {
    if (typeof source === 'number') this.#native?.functions.releaseKey(source);
  }

  #releaseSigning(reference: KeyReference): void {
    if (typeof reference.source === 'number') this.#native?.functions.releaseSigningKey(reference.source);
    wipe(reference);
  }

  #newId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }
}
