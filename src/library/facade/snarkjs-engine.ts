import { toBase64 } from '../../bytes.ts';
import { type FoundKey, findKey, keyOfFound } from '../../groth16/key.ts';
import type { Engine } from './engine.ts';

/** The part of an engine that `groth16.verify` uses. */
export type VerifyingEngine = Pick<Engine, 'addKey' | 'verifyBytes' | 'close'>;

/** A key in an engine. */
export interface PreparedKey {
  readonly engine: VerifyingEngine;
  readonly keyId: string;
}

/** A key read from the argument of a caller. */
export interface SnarkjsKey {
  readonly bytes: Uint8Array;
  /** The bytes in base64, by which the key is found. */
  readonly text: string;
  readonly inputCount: number;
}

/** The last use of an object as a key. */
interface KnownObject {
  readonly values: readonly unknown[];
  readonly key: SnarkjsKey;
}

/** An engine and its keys, by their texts. */
interface Generation {
  readonly engine: Promise<VerifyingEngine>;
  readonly keys: Map<string, Promise<PreparedKey>>;
  nextId: number;
  users: number;
  isRetired: boolean;
  readonly closed: Promise<void>;
  readonly close: () => void;
}

/** The engine in use, and one that is finishing its calls. */
const MAX_ENGINES = 2;

/**
 * The engine shared by all calls of `groth16.verify`, created at first use, with the keys of those calls. A key is
 * found by its content, since a caller may change an object or parse the file again for each proof. An engine cannot
 * drop single keys, so one with `maxKeys` is replaced by an empty one: a key takes about 1.2 MB, and its preparation a
 * few milliseconds.
 */
export class SnarkjsEngine {
  readonly #start: () => Promise<VerifyingEngine>;
  readonly #maxKeys: number;
  readonly #open = new Set<Generation>();
  readonly #read = new WeakMap<object, KnownObject>();
  #current: Generation | undefined;

  constructor(start: () => Promise<VerifyingEngine>, maxKeys: number) {
    this.#start = start;
    this.#maxKeys = maxKeys;
  }

  /**
   * Reads a key. Reading its numbers takes much longer than comparing them with those of the last use of the object.
   *
   * @throws FormError `key.*`
   */
  read(source: unknown): SnarkjsKey {
    const found = findKey(source, { isLax: true });
    if ('key' in found || typeof source !== 'object' || source === null) return keyOf(found);
    const { values } = found.points;
    const last = this.#read.get(source);
    if (last && areEqual(last.values, values)) return last.key;
    const key = keyOf(found);
    this.#read.set(source, { values, key });
    return key;
  }

  /**
   * Runs a step with a key, which stays prepared until the step ends.
   *
   * @throws ProofgateError `key.*`, `engine.*` if the engine cannot be started
   */
  async withKey<T>(key: SnarkjsKey, step: (key: PreparedKey) => Promise<T>): Promise<T> {
    const { generation, prepared } = await this.#enter(key);
    try {
      return await step(await prepared);
    } catch (error) {
      // An engine without workers does not recover.
      if (Object(error).code === 'engine.worker_failed') this.#retire(generation);
      throw error;
    } finally {
      generation.users -= 1;
      closeIfUnused(generation);
    }
  }

  /** Closes the engine after the calls in progress; the next call starts another. */
  async terminate(): Promise<void> {
    if (this.#current) this.#retire(this.#current);
    await Promise.all([...this.#open].map(({ closed }) => closed));
  }

  /** Finds or adds a key in an engine with space for it, and counts the call as a user of the engine. */
  async #enter(key: SnarkjsKey): Promise<{ generation: Generation; prepared: Promise<PreparedKey> }> {
    for (;;) {
      const current = this.#current;
      if (current && (current.keys.has(key.text) || current.keys.size < this.#maxKeys)) {
        const prepared = preparedKey(current, key);
        current.users += 1;
        return { generation: current, prepared };
      }
      if (current) this.#retire(current);
      if (this.#open.size < MAX_ENGINES) this.#current = this.#startGeneration();
      else await Promise.race([...this.#open].map(({ closed }) => closed));
    }
  }

  #startGeneration(): Generation {
    const engine = this.#start();
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => {
      close = (): void => resolve(engine.then((started) => started.close()).catch(() => undefined));
    });
    const generation: Generation = {
      engine,
      keys: new Map(),
      nextId: 1,
      users: 0,
      isRetired: false,
      closed,
      close,
    };
    this.#open.add(generation);
    engine.catch(() => this.#retire(generation));
    void closed.then(() => this.#open.delete(generation));
    return generation;
  }

  #retire(generation: Generation): void {
    generation.isRetired = true;
    if (this.#current === generation) this.#current = undefined;
    closeIfUnused(generation);
  }
}

function keyOf(found: FoundKey): SnarkjsKey {
  const { key: bytes, inputCount } = keyOfFound(found);
  return { bytes, text: toBase64(bytes), inputCount };
}

/** Whether values are equal that cannot change: an array of bytes may have changed. */
function areEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((value, index) => value === other[index] && typeof value !== 'object');
}

function closeIfUnused({ isRetired, users, close }: Generation): void {
  if (isRetired && users === 0) close();
}

/** Finds or adds a key; a refused key is not kept. */
function preparedKey(generation: Generation, { bytes, text }: SnarkjsKey): Promise<PreparedKey> {
  const { engine, keys } = generation;
  const known = keys.get(text);
  if (known !== undefined) return known;
  const keyId = `${generation.nextId++}`;
  const prepared = engine.then(async (started) => {
    await started.addKey(keyId, bytes, { allowDegenerateInputs: true });
    return { engine: started, keyId };
  });
  keys.set(text, prepared);
  prepared.catch(() => keys.delete(text));
  return prepared;
}
