import type { Profile } from '../../config/settings/setting.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Store } from '../../storage/store.ts';
import type { Environment, Tree } from '../../storage/values.ts';
import type { KeyOrigin, VerifyingKeyRow } from '../../storage/verifying-keys.ts';
import { ACCOUNT_TREE, ENVIRONMENTS, TREES } from '../roots/trees.ts';
import {
  BUILT_IN_KEYS,
  builtInKey,
  FORGEABLE_FINGERPRINTS,
  fingerprint,
  loadBuiltInKey,
} from './built-in-keys.ts';

/** Public inputs of a Semaphore proof: root, nullifier, signal and external nullifier. */
export const SEMAPHORE_INPUTS = 4;
/** Public inputs of a World ID 4.0 proof. */
export const WORLDID4_INPUTS = 15;
/** Prefix of the settings that bind the keys of World ID 4.0. */
export const WORLDID4_BINDING = 'verify.worldid4.key.';
const KEY_HEAD_BYTES = 448;
const IC_BYTES = 64;

/** Metadata of a key. */
export interface KeyInfo {
  readonly keyId: string;
  readonly origin: KeyOrigin;
  readonly depth: number | null;
  readonly inputCount: number;
  /** 64 lower-case hex digits. */
  readonly fingerprint: string;
  readonly source: string;
  readonly isBuiltIn: boolean;
}

/** A key with its bytes. */
export interface KeyWithBytes extends KeyInfo {
  readonly key: Uint8Array;
}

/** `verify.key.<environment>`, `verify.key.<environment>.<tree>` and `verify.worldid4.key.<environment>` to key id. */
export type KeyBindings = Readonly<Record<string, string>>;

/** Returns the number of public inputs of proofs against roots of a tree. */
export function inputsOfTree(tree: Tree): number {
  return tree === ACCOUNT_TREE ? WORLDID4_INPUTS : SEMAPHORE_INPUTS;
}

/** Returns the id of the key bound to a tree of an environment; a binding of the tree takes precedence. */
export function boundKey(bindings: KeyBindings, environment: Environment, tree: Tree): string | undefined {
  if (tree === ACCOUNT_TREE) return bindings[WORLDID4_BINDING + environment];
  return bindings[`verify.key.${environment}.${tree}`] ?? bindings[`verify.key.${environment}`];
}

/** A tree whose proofs a key verifies. */
export interface KeyUse {
  readonly environment: Environment;
  readonly tree: Tree;
  /** `setting` if the tree is bound to the key, `root` if its current root names the key. */
  readonly by: 'setting' | 'root';
}

/** Lists the trees for which a key is used. @param current - Current root of each tree. */
export function usesOfKey(keyId: string, bindings: KeyBindings, current: readonly RootRow[]): KeyUse[] {
  return ENVIRONMENTS.flatMap((environment) =>
    TREES.flatMap((tree): KeyUse[] => {
      const root = current.find((row) => row.environment === environment && row.tree === tree);
      const isBound = boundKey(bindings, environment, tree) === keyId;
      return [
        ...(isBound ? [{ environment, tree, by: 'setting' } as const] : []),
        ...(root?.keyId === keyId ? [{ environment, tree, by: 'root' } as const] : []),
      ];
    }),
  );
}

/** Lists the keys of a profile: first built-in keys, then those imported into the store. */
export async function listKeys(profile: Profile, keys: Store['verifyingKeys']): Promise<KeyInfo[]> {
  const rows = BUILT_IN_KEYS.filter((row) => row.profiles.includes(profile));
  const builtIn = await Promise.all(rows.map((row) => readKey(row.keyId, profile, keys)));
  const imported = (await keys.list())
    .filter((row) => !rows.some(({ keyId }) => keyId === row.keyId))
    .map(fromRow);
  return [...builtIn, ...imported].flatMap((found) => (found === undefined ? [] : [withoutBytes(found)]));
}

/**
 * Reads one key with its bytes.
 *
 * @returns undefined if the profile has no such key.
 * @throws ServiceError `key.conflict` if bytes and fingerprint differ, `store.unreachable`
 */
export async function readKey(
  keyId: string,
  profile: Profile,
  keys: Pick<Store['verifyingKeys'], 'find'>,
): Promise<KeyWithBytes | undefined> {
  const builtIn = builtInKey(keyId);
  if (builtIn?.profiles.includes(profile)) {
    const { key, inputCount } = await loadBuiltInKey(builtIn);
    const { origin, depth, source } = builtIn;
    return {
      keyId,
      origin,
      depth,
      source,
      key,
      inputCount,
      fingerprint: builtIn.fingerprint,
      isBuiltIn: true,
    };
  }
  const row = await keys.find(keyId);
  return row && fromRow(row);
}

/**
 * Refuses a key that cannot check the proofs it is for, or that the profile must not trust.
 *
 * @param inputCount - Number of public inputs of these proofs.

 * @throws ServiceError `key.forbidden`, `key.input_count`
 */
export function checkKeyUse(key: KeyInfo, profile: Profile, inputCount: number = SEMAPHORE_INPUTS): void {
  const known = FORGEABLE_FINGERPRINTS.get(key.fingerprint);
  const isUnsafe = known !== undefined || key.origin === 'development' || key.origin === 'trapdoor';
  if (profile === 'production' && isUnsafe) {
    throw new ServiceError(
      'key.forbidden',
      `${key.keyId}: production refuses a key of origin ${key.origin}${known ? `, known as ${known}` : ''}`,
    );
  }
  if (key.inputCount !== inputCount) {
    throw new ServiceError(
      'key.input_count',
      `${key.keyId}: this tree needs a key of ${inputCount} public inputs, this one has ${key.inputCount}`,
    );
  }
}

function withoutBytes({ key: _, ...info }: KeyWithBytes): KeyInfo {
  return info;
}

function fromRow(row: VerifyingKeyRow): KeyWithBytes {
  const { keyId, origin, depth, source, key } = row;
  const found = fingerprint(key);
  const stored = Buffer.from(row.fingerprint).toString('hex');
  if (found !== stored) {
    throw new ServiceError(
      'key.conflict',
      `${keyId}: stored with fingerprint ${stored}, but its bytes have ${found}`,
    );
  }
  const inputCount = (key.length - KEY_HEAD_BYTES) / IC_BYTES - 1;
  return { keyId, origin, depth, source, key, inputCount, fingerprint: found, isBuiltIn: false };
}
