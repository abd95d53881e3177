import type { VerifyRequest } from '../request/request-types.ts';
import type { ItemCodes } from './queue-items.ts';
import { type ItemResult, itemResult, type PreparedItem, type ReadyItem } from './verify-item.ts';

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
  const results = request.items.map((item, index) => itemResult(item, codes[index]));
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

/** Whether an item failed because of an internal error. */
export function hasInternalError({ results }: CheckedRequest): boolean {
  return results.some((result) => !result.success && result.code === 'internal_error');
}
