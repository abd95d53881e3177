import type { Profile } from '../../config/settings/setting.ts';
import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Store } from '../../storage/store.ts';
import type { Environment, Tree } from '../../storage/values.ts';
import {
  boundKey,
  checkKeyUse,
  inputsOfTree,
  type KeyBindings,
  type KeyWithBytes,
  readKey,
  SEMAPHORE_INPUTS,
  WORLDID4_BINDING,
  WORLDID4_INPUTS,
} from './verifying-keys.ts';

/** Receives a warning about a verifying key, one sentence that names it. */
export type KeyWarning = (text: string) => void;

/**
 * Registers a verifying key with the engine. Production refuses a key whose IC points are at infinity or in a
 * simple relation to each other or to α; other profiles warn. Every profile refuses a key whose points let anyone forge proofs.
 *
 * @throws ServiceError `key.*`
 */
export async function registerKey(
  engine: Pick<Engine, 'registerKey'>,
  { keyId, key, isBuiltIn }: Pick<KeyWithBytes, 'keyId' | 'key' | 'isBuiltIn'>,
  profile: Profile,
  onWarning: KeyWarning,
): Promise<void> {
  // A test searches the built-in keys for relations; their fingerprints fix their bytes.
  const options = { hasNoRelation: isBuiltIn };
  if (profile === 'production') return await engine.registerKey(keyId, key, options);
  await engine.registerKey(keyId, key, {
    ...options,
    onDegenerateInputs: (faults) => {
      for (const fault of faults) onWarning(`key ${keyId}: ${fault}; production refuses such a key`);
    },
  });
}

/** Dependencies of `createKeyRegistry`. */
export interface KeyRegistryOptions {
  readonly engine: Pick<Engine, 'registerKey'>;
  readonly store: { readonly verifyingKeys: Pick<Store['verifyingKeys'], 'find'> };
  readonly profile: Profile;
  readonly bindings: KeyBindings;
  /** Receives the reasons for which production would refuse a key. */
  readonly onWarning?: KeyWarning;
}

/** Verifying keys that the engine has or can load, and their bindings to trees. */
export interface KeyRegistry {
  /** Returns the id of the key of a tree, used for roots without a key of their own; undefined if there is none. */
  keyOf(environment: Environment, tree: Tree): string | undefined;
  /** Whether the engine has a key, for proofs with this number of public inputs. */
  has(keyId: string, inputCount: number): boolean;
  /**
   * Registers a key with the engine, once. Keys that another process imported are found in the store.
   *
   * @param inputCount - Number of public inputs of the proofs it is for; default that of Semaphore proofs.
   * @throws ServiceError `engine.key_unknown`, `key.forbidden`, `key.input_count`, `key.*`, `store.unreachable`
   */
  ensure(keyId: string, inputCount?: number): Promise<void>;
  /**
   * Returns the number of public inputs of any key that the profile may use, and registers it with the engine.
   *
   * @throws ServiceError as `ensure`, but not `key.input_count`
   */
  inputCountOf(keyId: string): Promise<number>;
  /**
   * Registers the keys of all bindings, the keys of roots that have their own, and the given keys for Semaphore proofs.
   *
   * @returns One error for each key that cannot be used.
   */
  prepare(keyIds?: Iterable<string>, roots?: readonly RootRow[]): Promise<ServiceError[]>;
}

/** Creates the registry of an engine. The key of an id never changes, so one registration is enough. */
export function createKeyRegistry(options: KeyRegistryOptions): KeyRegistry {
  const { engine, store, profile, bindings, onWarning = () => undefined } = options;
  /** Keys that the engine has, with the number of their public inputs. */
  const registered = new Map<string, number>();
  const pending = new Map<string, Promise<number>>();

  /** @param inputCount - Any number if undefined. */
  async function register(keyId: string, inputCount: number | undefined): Promise<number> {
    const found = await readKey(keyId, profile, store.verifyingKeys);
    if (!found)
      throw new ServiceError('engine.key_unknown', `no verifying key ${keyId} in profile ${profile}`);
    checkKeyUse(found, profile, inputCount ?? found.inputCount);
    await registerKey(engine, found, profile, onWarning);
    registered.set(keyId, found.inputCount);
    return found.inputCount;
  }

  function registerOnce(keyId: string, inputCount?: number): Promise<number> {
    const task = `${inputCount ?? 'any'} ${keyId}`;
    let registering = pending.get(task);
    if (!registering) {
      registering = register(keyId, inputCount).finally(() => pending.delete(task));
      pending.set(task, registering);
    }
    return registering;
  }

  const has = (keyId: string, inputCount: number): boolean => registered.get(keyId) === inputCount;

  async function ensure(keyId: string, inputCount = SEMAPHORE_INPUTS): Promise<void> {
    if (!has(keyId, inputCount)) await registerOnce(keyId, inputCount);
  }

  /** Lists the keys of all bindings and of roots with the number of inputs that they are for, each once. */
  function wanted(keyIds: Iterable<string>, roots: readonly RootRow[]): (readonly [string, number])[] {
    const pairs = new Map<string, readonly [string, number]>();
    const add = (keyId: string, inputCount: number): unknown =>
      pairs.set(`${inputCount} ${keyId}`, [keyId, inputCount]);
    for (const [setting, keyId] of Object.entries(bindings)) {
      add(keyId, setting.startsWith(WORLDID4_BINDING) ? WORLDID4_INPUTS : SEMAPHORE_INPUTS);
    }
    for (const keyId of keyIds) add(keyId, SEMAPHORE_INPUTS);
    for (const { keyId, tree } of roots) if (keyId !== null) add(keyId, inputsOfTree(tree));
    return [...pairs.values()];
  }

  return {
    keyOf: (environment, tree) => boundKey(bindings, environment, tree),
    has,
    ensure,
    inputCountOf: async (keyId) => registered.get(keyId) ?? (await registerOnce(keyId)),
    async prepare(keyIds = [], roots = []) {
      const errors: ServiceError[] = [];
      for (const [keyId, inputCount] of wanted(keyIds, roots)) {
        try {
          await ensure(keyId, inputCount);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          errors.push(error);
        }
      }
      return errors;
    },
  };
}
