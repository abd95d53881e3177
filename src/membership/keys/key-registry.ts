import type { Profile } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Environment, Store, Tree } from '../../storage/index.ts';
import { type KeyWarning, registerKey } from './register-key.ts';
import { boundKey, checkKeyUse, type KeyBindings, readKey } from './verifying-keys.ts';

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
  /**
   * Registers a key with the engine, once. Keys that another process imported are found in the store.
   *
   * @returns undefined if the engine has the key already, else a promise.
   * @throws ServiceError `engine.key_unknown`, `key.forbidden`, `key.input_count`, `key.*`, `store.unreachable`
   */
  ensure(keyId: string): undefined | Promise<void>;
  /**
   * Registers the keys of all bindings, and the given ones, with the engine.
   *
   * @returns One error for each key that cannot be used.
   */
  prepare(keyIds?: Iterable<string>): Promise<ServiceError[]>;
}

/** Creates the registry of an engine. The key of an id never changes, so one registration is enough. */
export function createKeyRegistry(options: KeyRegistryOptions): KeyRegistry {
  const { engine, store, profile, bindings, onWarning = () => undefined } = options;
  const registered = new Set<string>();
  const pending = new Map<string, Promise<void>>();

  async function register(keyId: string): Promise<void> {
    const found = await readKey(keyId, profile, store.verifyingKeys);
    if (!found)
      throw new ServiceError('engine.key_unknown', `no verifying key ${keyId} in profile ${profile}`);
    checkKeyUse(found, profile);
    await registerKey(engine, found, profile, onWarning);
    registered.add(keyId);
  }

  function ensure(keyId: string): undefined | Promise<void> {
    if (registered.has(keyId)) return undefined;
    let registering = pending.get(keyId);
    if (!registering) {
      registering = register(keyId).finally(() => pending.delete(keyId));
      pending.set(keyId, registering);
    }
    return registering;
  }

  return {
    keyOf: (environment, tree) => boundKey(bindings, environment, tree),
    ensure,
    async prepare(keyIds = []) {
      const errors: ServiceError[] = [];
      for (const keyId of new Set([...Object.values(bindings), ...keyIds])) {
        try {
          await ensure(keyId);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          errors.push(error);
        }
      }
      return errors;
    },
  };
}
