import type { Refusal, Verdict } from '../../engine/index.ts';
import { ERRORS, type ErrorCode, type ErrorSpec, isServiceError } from '../../errors/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { checkRoot } from '../../membership/roots/check-root.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { TREE_OF } from '../../membership/roots/trees.ts';
import type { Bytes32, Environment, RootRow } from '../../storage/index.ts';
import { type RequestItem, type Statement, type VerifyRequest, WORD_AT } from '../request/request-types.ts';

const WORD_BYTES = 32;

/** Why an item failed: a row of the catalogue that has a `verifyItem` answer. */
export interface FailedItem {
  readonly code: ErrorCode;
  readonly rootAgeSeconds?: number;
  /** The internal error, for the log. */
  readonly cause?: unknown;
}

/** An item that only the engine has yet to judge. */
export interface ReadyItem extends Statement {
  /** The nullifier as it was sent. */
  readonly nullifier: string;
  readonly keyId: string;
  readonly rootAgeSeconds: number;
}

/** An item after the steps that need no pairing. */
export type PreparedItem = FailedItem | ReadyItem;

/** What the steps of an item need in addition to it. */
export interface ItemContext {
  readonly environment: Environment;
  /** 32 bytes, of the registered app id and the action. */
  readonly externalNullifier: Uint8Array;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly now: () => number;
}

/**
 * Takes the items of a request through the steps that need no pairing, and completes their statements.
 *
 * @returns A promise only when the store or the engine has to be asked.
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

/** Root lookup and age rule, in this order (`spec/verification.md#item-steps`). */
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

/** Returns the catalogue row of a verdict, or undefined when the proof holds. */
export function verdictCode(verdict: Verdict): Refusal | 'proof.false' | undefined {
  if (verdict.ok) return undefined;
  return verdict.code ?? 'proof.false';
}

/** More characters than any valid nullifier has; a longer text is not sent back. */
export const MAX_ECHOED_CHARACTERS = 4096;

/** One entry of `results` in an answer. */
export type ItemResult =
  | { readonly identifier: string; readonly success: true; readonly nullifier: string }
  | {
      readonly identifier: string;
      readonly success: false;
      /** Absent where it is longer than `MAX_ECHOED_CHARACTERS`. */
      readonly nullifier?: string;
      readonly code: string;
      readonly detail: string;
      readonly attribute?: string;
    };

/**
 * Builds the entry of an item from its code, undefined for a valid one. The nullifier is the text as sent, so that a
 * caller with several items of one identifier knows which of them failed.
 */
export function itemResult(item: RequestItem, code: ErrorCode | undefined): ItemResult {
  const { identifier, nullifier } = item;
  if (code === undefined) return { identifier, success: true, nullifier };
  const spec: ErrorSpec = ERRORS[code];
  const answer = spec.verifyItem ?? ERRORS['internal.unforeseen'].verifyItem;
  if (nullifier.length > MAX_ECHOED_CHARACTERS) return { identifier, success: false, ...answer };
  return { identifier, success: false, nullifier, ...answer };
}
