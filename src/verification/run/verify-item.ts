import type { Refusal, Verdict } from '../../engine/index.ts';
import { ERRORS, type ErrorCode, type ErrorSpec, isServiceError } from '../../errors/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { checkRoot } from '../../membership/roots/check-root.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { TREE_OF } from '../../membership/roots/trees.ts';
import type { Bytes32, Environment, RootRow } from '../../storage/index.ts';
import { type RequestItem, type Statement, type VerifyRequest, WORD_AT } from '../request/request-types.ts';

const WORD_BYTES = 32;

/** A failed item, with a code whose row in the catalogue has a `verifyItem` answer. */
export interface FailedItem {
  readonly code: ErrorCode;
  readonly rootAgeSeconds?: number;
  /** The internal error, for the log. */
  readonly cause?: unknown;
}

/** An item for which only the engine's verdict is missing. */
export interface ReadyItem extends Statement {
  /** The nullifier as it was sent. */
  readonly nullifier: string;
  readonly keyId: string;
  readonly rootAgeSeconds: number;
}

/** An item after the steps that need no pairing. */
export type PreparedItem = FailedItem | ReadyItem;

/** Dependencies of the steps of an item. */
export interface ItemContext {
  readonly environment: Environment;
  /** 32 bytes, derived from the registered app id and the action. */
  readonly externalNullifier: Uint8Array;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly now: () => number;
}

/**
 * Runs the steps of all items that need no pairing, and completes their statements.
 *
 * @returns A promise only if the store or the engine must be queried.
 * @throws ServiceError `store.unreachable`, which refuses the request as a whole
 */
export function prepareItems(
  { items }: VerifyRequest,
  context: ItemContext,
): readonly PreparedItem[] | Promise<readonly PreparedItem[]> {
  const prepared = items.map((item) => prepareItem(item, context));
  return prepared.some((item) => item instanceof Promise)
    ? Promise.all(prepared)
    : (prepared as readonly PreparedItem[]);
}

/** Looks up the root and then applies the age rule (`spec/verification.md#item-steps`). */
function prepareItem(item: RequestItem, context: ItemContext): PreparedItem | Promise<PreparedItem> {
  const { statement } = item;
  if (statement.code !== undefined) return statement;
  statement.bytes.set(context.externalNullifier, WORD_AT.externalNullifier);
  const row = context.roots.find(
    context.environment,
    TREE_OF[item.identifier],
    wordAt(statement, WORD_AT.root),
  );
  return row instanceof Promise
    ? row.then((found) => withRoot(item, statement, found, context))
    : withRoot(item, statement, row, context);
}

/** Returns the nullifier of a statement, a view of its 32 bytes. */
export function nullifierOf(statement: Statement): Bytes32 {
  return wordAt(statement, WORD_AT.nullifier);
}

function wordAt({ bytes }: Statement, at: number): Bytes32 {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + at, WORD_BYTES);
}

function withRoot(
  item: RequestItem,
  { bytes }: Statement,
  row: RootRow | undefined,
  context: ItemContext,
): PreparedItem | Promise<PreparedItem> {
  if (!row) return { code: 'item.root_unknown' };
  const { isAccepted, ageSeconds } = checkRoot(row, item.maxAgeSeconds, context.now());
  if (!isAccepted) return { code: 'item.root_too_old', rootAgeSeconds: ageSeconds };
  const keyId = row.keyId ?? context.keys.keyOf(row.environment, row.tree);
  if (keyId === undefined) {
    const cause = new Error(`no verifying key for tree ${row.tree} of ${row.environment}`);
    return { code: 'engine.key_unknown', rootAgeSeconds: ageSeconds, cause };
  }
  return withKey({ keyId, bytes, nullifier: item.nullifier, rootAgeSeconds: ageSeconds }, context.keys);
}

function withKey(ready: ReadyItem, keys: KeyRegistry): PreparedItem | Promise<PreparedItem> {
  const registering = keys.ensure(ready.keyId);
  if (registering === undefined) return ready;
  return registering.then(
    () => ready,
    (cause: unknown) => {
      if (isServiceError(cause, 'store.unreachable')) throw cause;
      return { code: 'engine.key_unknown', rootAgeSeconds: ready.rootAgeSeconds, cause };
    },
  );
}

/** Returns the catalogue code of a verdict, or undefined if the proof is valid. */
export function verdictCode(verdict: Verdict): Refusal | 'proof.false' | undefined {
  if (verdict.ok) return undefined;
  return verdict.code ?? 'proof.false';
}

/** Longest nullifier that is sent back, in characters; any valid one is shorter. */
export const MAX_ECHOED_CHARACTERS = 4096;

/** One entry of `results` in an answer. */
export type ItemResult =
  | { readonly identifier: string; readonly success: true; readonly nullifier: string }
  | {
      readonly identifier: string;
      readonly success: false;
      /** Absent if it is longer than `MAX_ECHOED_CHARACTERS`. */
      readonly nullifier?: string;
      readonly code: string;
      readonly detail: string;
      readonly attribute?: string;
    };

/**
 * Builds the entry of an item from its code, undefined for a valid one. The nullifier is the text as sent, so
 * that a client with several items of one identifier can tell which of them failed.
 */
export function itemResult(item: RequestItem, code: ErrorCode | undefined): ItemResult {
  const { identifier, nullifier } = item;
  if (code === undefined) return { identifier, success: true, nullifier };
  const spec: ErrorSpec = ERRORS[code];
  const answer = spec.verifyItem ?? ERRORS['internal.unforeseen'].verifyItem;
  if (nullifier.length > MAX_ECHOED_CHARACTERS) return { identifier, success: false, ...answer };
  return { identifier, success: false, nullifier, ...answer };
}
