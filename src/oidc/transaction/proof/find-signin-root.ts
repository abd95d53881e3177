import type { KeyRegistry } from '../../../membership/keys/key-registry.ts';
import { checkRoot, type RootRegistry } from '../../../membership/roots/root-registry.ts';
import type { Bytes32, Environment, Level, RootRow } from '../../../storage/index.ts';

/** Trees of sign-in, in search order: a person in both has level `orb`. */
const LEVELS: readonly Level[] = ['orb', 'device'];

/** An accepted root with the level of its tree, or the code if there is none. */
export type SigninRoot =
  | { readonly code?: undefined; readonly row: RootRow; readonly level: Level }
  | { readonly code: 'transaction.root_unknown' | 'transaction.root_too_old' };

/** Dependencies of `findSigninRoot`. */
export interface SigninRootParts {
  readonly roots: RootRegistry;
  readonly maxRootAgeSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Finds a Merkle root (spec/sign-in.md#proof-checks, root) in the first tree in which it is current or young
 * enough.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function findSigninRoot(
  environment: Environment,
  root: Bytes32,
  { roots, maxRootAgeSeconds, now }: SigninRootParts,
): Promise<SigninRoot> {
  let isKnown = false;
  for (const level of LEVELS) {
    const row = await roots.find(environment, level, root);
    if (!row) continue;
    isKnown = true;
    if (checkRoot(row, maxRootAgeSeconds, now()).isAccepted) return { row, level };
  }
  return { code: isKnown ? 'transaction.root_too_old' : 'transaction.root_unknown' };
}

/**
 * Asks the sources of the trees for an unknown root (spec/roots.md#misses), of those under whose key the proof is valid.
 *
 * @param statement - The root, and the bytes of proof and public inputs.
 * @param isValid - Checks the proof under a key; undefined if the engine has no room now.
 * @returns Undefined if the engine has no room now.
 * @throws ServiceError `store.unreachable`, `engine.worker_failed`
 */
export async function refreshSigninRoot(
  environment: Environment,
  { root, bytes }: { readonly root: Bytes32; readonly bytes: Uint8Array },
  { roots, keys, maxRootAgeSeconds, now }: SigninRootParts & { readonly keys: Pick<KeyRegistry, 'keyOf'> },
  isValid: (keyId: string) => Promise<boolean | undefined>,
): Promise<SigninRoot | undefined> {
  for (const level of LEVELS) {
    const refresh = roots.refreshOf?.(environment, level);
    const keyId = refresh && keys.keyOf(environment, level);
    if (refresh === undefined || keyId === undefined) continue;
    const verdict = await isValid(keyId);
    if (verdict === undefined) return undefined;
    const row = verdict ? await refresh(root, { bytes, maxAgeSeconds: maxRootAgeSeconds }) : undefined;
    if (row === undefined) continue;
    const { isAccepted } = checkRoot(row, maxRootAgeSeconds, now());
    return isAccepted ? { row, level } : { code: 'transaction.root_too_old' };
  }
  return { code: 'transaction.root_unknown' };
}
