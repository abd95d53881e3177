import type { Refusal, Verdict } from '../engine/index.ts';
import { ERRORS, type ErrorCode, type ErrorSpec, isServiceError } from '../errors/index.ts';
import { checkRoot } from '../membership/check-root.ts';
import { decodeProof } from '../membership/decode-proof.ts';
import type { KeyRegistry } from '../membership/key-registry.ts';
import type { RootRegistry } from '../membership/root-registry.ts';
import { TREE_OF } from '../membership/trees.ts';
import { decodeWord } from '../semaphore/decode-word.ts';
import type { Bytes32, Environment, RootRow } from '../storage/index.ts';
import type { RequestItem } from './parse-request.ts';

/** Why an item failed: a row of the catalogue that has a `verifyItem` answer. */
export interface FailedItem {
  readonly code: ErrorCode;
  readonly rootAgeSeconds?: number;
  /** What went wrong on our side, for the log. */
  readonly cause?: unknown;
}

/** An item that only the engine still has to judge. */
export interface ReadyItem {
  readonly code?: undefined;
  readonly keyId: string;
  /** 256 bytes. */
  readonly proof: Uint8Array;
  /** Root ‖ nullifier ‖ signal hash ‖ external nullifier. */
  readonly inputs: Uint8Array;
  readonly nullifier: Bytes32;
  readonly rootAgeSeconds: number;
}

/** An item after the steps that need no pairing. */
export type PreparedItem = FailedItem | ReadyItem;

/** What the steps of an item need beside it. */
export interface ItemContext {
  readonly environment: Environment;
  /** 32 bytes, of the registered app id and the action. */
  readonly externalNullifier: Uint8Array;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  readonly now: () => number;
}

/** The words of an item as bytes, or the first that cannot be decoded (verify.md section 3, step 1). */
export function decodeItem(item: RequestItem):
  | FailedItem
  | {
      readonly code?: undefined;
      readonly proof: Uint8Array;
      readonly nullifier: Bytes32;
      readonly root: Bytes32;
      readonly signalHash: Bytes32;
    } {
  const proof = decodeProof(item.proof);
  if (!proof) return { code: 'item.proof_format' };
  const nullifier = decodeWord(item.nullifier);
  if (!nullifier) return { code: 'item.nullifier_format' };
  const root = decodeWord(item.merkleRoot);
  if (!root) return { code: 'item.merkle_root_format' };
  const signalHash = decodeWord(item.signalHash);
  if (!signalHash) return { code: 'item.signal_hash_format' };
  return { proof, nullifier, root, signalHash };
}

/**
 * Takes an item through decoding, root lookup and age rule, in this order.
 *
 * @returns A promise only when the store or the engine has to be asked.
 * @throws ServiceError `store.unreachable`, which refuses the request as a whole
 */
export function prepareItem(item: RequestItem, context: ItemContext): PreparedItem | Promise<PreparedItem> {
  const decoded = decodeItem(item);
  if (decoded.code !== undefined) return decoded;
  const { proof, nullifier, root, signalHash } = decoded;
  const inputs = new Uint8Array(128);
  inputs.set(root, 0);
  inputs.set(nullifier, 32);
  inputs.set(signalHash, 64);
  inputs.set(context.externalNullifier, 96);

  const withRoot = (row: RootRow | undefined): PreparedItem | Promise<PreparedItem> => {
    if (!row) return { code: 'item.root_unknown' };
    const { isAccepted, ageSeconds } = checkRoot(row, item.maxAgeSeconds, context.now());
    if (!isAccepted) return { code: 'item.root_too_old', rootAgeSeconds: ageSeconds };
    const keyId = row.keyId ?? context.keys.keyOf(row.environment, row.tree);
    if (keyId === undefined) {
      const cause = new Error(`no verifying key for tree ${row.tree} of ${row.environment}`);
      return { code: 'engine.key_unknown', rootAgeSeconds: ageSeconds, cause };
    }
    const ready: ReadyItem = { keyId, proof, inputs, nullifier, rootAgeSeconds: ageSeconds };
    return withKey(ready, context.keys);
  };
  const row = context.roots.find(context.environment, TREE_OF[item.identifier], root);
  return row instanceof Promise ? row.then(withRoot) : withRoot(row);
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

/** The catalogue row of a verdict, or undefined when the proof holds. */
export function verdictCode(verdict: Verdict): Refusal | 'proof.false' | undefined {
  if (verdict.ok) return undefined;
  return verdict.code ?? 'proof.false';
}

/** One entry of `results` in an answer. */
export type ItemResult =
  | { readonly identifier: string; readonly success: true; readonly nullifier: string }
  | {
      readonly identifier: string;
      readonly success: false;
      readonly code: string;
      readonly detail: string;
      readonly attribute?: string;
    };

/** The entry of an item, from its failure or from none; the nullifier as it was sent. */
export function itemResult(item: RequestItem, code: ErrorCode | undefined): ItemResult {
  const { identifier, nullifier } = item;
  if (code === undefined) return { identifier, success: true, nullifier };
  const spec: ErrorSpec = ERRORS[code];
  const answer = spec.verifyItem ?? ERRORS['internal.unforeseen'].verifyItem;
  return { identifier, success: false, ...answer };
}
