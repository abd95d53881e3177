import type { Bytes32 } from '../../storage/index.ts';
import { type VerifyRequest, WORD_AT } from '../request/request-types.ts';
import { INPUT_AT } from '../worldid4/request4-types.ts';
import { type ItemResult, itemResult } from './item-result.ts';
import type { PreparedItem, ReadyItem } from './prepared-item.ts';
import type { ItemCodes } from './queue-items.ts';
import { wordAt } from './verify-item.ts';

/** A request whose items have results; entry i of each list is about item i. */
export interface CheckedRequest {
  readonly request: VerifyRequest;
  readonly items: readonly PreparedItem[];
  readonly codes: ItemCodes;
  readonly results: readonly ItemResult[];
}

/** Builds the `results` of a request from the codes of its items. */
export function collectResults(
  request: VerifyRequest,
  items: readonly PreparedItem[],
  codes: ItemCodes,
): CheckedRequest {
  const results = request.items.map((item, index) => itemResult(request, item, items[index], codes[index]));
  return { request, items, codes, results };
}

/** Returns the first item that verified, whose nullifier is recorded (`spec/verification.md#nullifier-record`). */
export function firstVerified({ items, codes }: CheckedRequest): ReadyItem | undefined {
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as PreparedItem;
    if (codes[index] === undefined && item.code === undefined) return item;
  }
  return undefined;
}

const NULLIFIER_AT: Readonly<Record<VerifyRequest['protocol'], number>> = {
  '3.0': WORD_AT.nullifier,
  '4.0': INPUT_AT.nullifier,
};

/** Returns the nullifier of an item, a view of its 32 bytes. */
export function nullifierOf({ protocol }: Pick<VerifyRequest, 'protocol'>, item: ReadyItem): Bytes32 {
  return wordAt(item, NULLIFIER_AT[protocol]);
}

/** Whether an item failed because of an internal error. */
export function hasInternalError({ results }: CheckedRequest): boolean {
  return results.some((result) => !result.success && result.code === 'internal_error');
}
