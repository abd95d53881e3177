import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { SEMAPHORE_INPUTS } from '../../membership/keys/verifying-keys.ts';
import { checkRoot, type RootRegistry } from '../../membership/roots/root-registry.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Bytes32, Environment } from '../../storage/values.ts';
import { type RequestItem, type Statement, type VerifyRequest3, WORD_AT } from '../request/request-types.ts';
import { type FailedItem, type PreparedItem, prepareMissed, withKey, withoutKey } from './prepared-item.ts';

/** Actions are at most 4,096 bytes, so this bounds the memory, too. */
const MAX_ENTRIES = 1000;

/** Returns the 32 bytes that encode an action of an app in a statement. They are shared and must not be changed. */
export type ActionWords = (appId: string, action: string) => Uint8Array;

/**
 * Creates a cache of the results of `compute`: one Keccak hash takes a tenth of the time that the main thread spends on
 * a request. Above `maxEntries`, all entries of the app that was added first are evicted.
 */
export function createActionWords(compute: ActionWords, maxEntries: number = MAX_ENTRIES): ActionWords {
  // by app, then by action: a joined key would be ambiguous
  const apps = new Map<string, Map<string, Uint8Array>>();
  let size = 0;

  function dropOldest(): void {
    const [oldest] = apps;
    if (!oldest) return;
    const [appId, actions] = oldest;
    size -= actions.size;
    apps.delete(appId);
  }

  return (appId, action) => {
    const known = apps.get(appId)?.get(action);
    if (known !== undefined) return known;
    const word = compute(appId, action);
    if (size >= maxEntries) dropOldest();
    const actions = apps.get(appId) ?? new Map<string, Uint8Array>();
    apps.set(appId, actions);
    actions.set(action, word);
    size++;
    return word;
  };
}

const WORD_BYTES = 32;

/** Dependencies of the steps of an item. */
export interface ItemContext {
  readonly environment: Environment;
  /** 32 bytes, derived from the registered app id and the action. */
  readonly externalNullifier: Uint8Array;
  /** From the policy of the app; an item may ask for a lower limit. */
  readonly maxRootAgeSeconds: number;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly now: () => number;
}

/**
 * Runs the steps of all items that need no pairing, and completes their statements, if roots and keys are in memory, as
 * for nearly every request.
 *
 * @returns undefined if the store or the engine is needed; then call `prepareItems`.
 */
export function prepareFromCache(
  { items }: VerifyRequest3,
  context: ItemContext,
): readonly PreparedItem[] | undefined {
  const prepared: PreparedItem[] = [];
  for (const item of items) {
    const { statement } = item;
    const row =
      statement.code === undefined
        ? context.roots.peek(context.environment, item.tree, wordAt(statement, WORD_AT.root))
        : undefined;
    const one = statement.code === undefined ? row && withRoot(item, statement, row, context) : statement;
    if (one === undefined) return undefined;
    if (one.code === undefined && !context.keys.has(one.keyId, SEMAPHORE_INPUTS)) return undefined;
    prepared.push(one);
  }
  return prepared;
}

/**
 * Prepares the items as `prepareFromCache` does, and reads from the store what is not in memory.
 *
 * @throws ServiceError `store.unreachable`, which refuses the request as a whole
 */
export function prepareItems(
  { items }: VerifyRequest3,
  context: ItemContext,
): Promise<readonly PreparedItem[]> {
  return Promise.all(items.map((item) => prepareItem(item, context)));
}

async function prepareItem(item: RequestItem, context: ItemContext): Promise<PreparedItem> {
  const { statement } = item;
  if (statement.code !== undefined) return statement;
  const row = await context.roots.find(context.environment, item.tree, wordAt(statement, WORD_AT.root));
  if (row === undefined) return await withoutRoot(item, statement, context);
  const prepared = withRoot(item, statement, row, context);
  return prepared.code === undefined ? await withKey(prepared, SEMAPHORE_INPUTS, context.keys) : prepared;
}

/** Applies the age rule to a root (`spec/verification.md#item-steps`), then finds the id of its key. */
function withRoot(item: RequestItem, statement: Statement, row: RootRow, context: ItemContext): PreparedItem {
  const { bytes } = statement;
  const { isAccepted, ageSeconds: rootAgeSeconds } = checkRoot(row, maxAgeOf(item, context), context.now());
  if (!isAccepted) return tooOld(item, rootAgeSeconds, context);
  const keyId = row.keyId ?? context.keys.keyOf(row.environment, row.tree);
  if (keyId === undefined) {
    const cause = new Error(`no verifying key for tree ${row.tree} of ${row.environment}`);
    return withoutKey({ rootAgeSeconds }, cause);
  }
  bytes.set(context.externalNullifier, WORD_AT.externalNullifier);
  return { keyId, bytes, nullifier: item.nullifier, rootAgeSeconds };
}

/** Returns a word of a statement, a view of its 32 bytes. */
export function wordAt({ bytes }: Statement, at: number): Bytes32 {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + at, WORD_BYTES);
}

function tooOld(item: RequestItem, rootAgeSeconds: number, context: ItemContext): FailedItem {
  return { code: 'item.root_too_old', rootAgeSeconds, maxRootAgeSeconds: maxAgeOf(item, context) };
}

function maxAgeOf({ maxAgeSeconds }: RequestItem, { maxRootAgeSeconds }: ItemContext): number {
  return Math.min(maxAgeSeconds, maxRootAgeSeconds);
}

function withoutRoot(item: RequestItem, statement: Statement, context: ItemContext): Promise<PreparedItem> {
  statement.bytes.set(context.externalNullifier, WORD_AT.externalNullifier);
  const unknown = {
    environment: context.environment,
    tree: item.tree,
    root: wordAt(statement, WORD_AT.root),
    bytes: statement.bytes,
    nullifier: item.nullifier,
    maxAgeSeconds: maxAgeOf(item, context),
    unknown: 'item.root_unknown',
    judge(row: RootRow) {
      const { isAccepted, ageSeconds } = checkRoot(row, maxAgeOf(item, context), context.now());
      return isAccepted ? { rootAgeSeconds: ageSeconds } : tooOld(item, ageSeconds, context);
    },
  } as const;
  return prepareMissed(unknown, context);
}
