import type { ErrorCode } from '../../errors/index.ts';
import type { ItemResult, PreparedItem, ReadyItem } from '../run/verify-item.ts';
import type { VerifyRequest } from './request-types.ts';

/** A request whose items have their answers; entry i of each list is about item i. */
export interface JudgedRequest {
  readonly request: VerifyRequest;
  readonly items: readonly PreparedItem[];
  /** The catalogue row of each item, undefined where it verified. */
  readonly codes: readonly (ErrorCode | undefined)[];
  readonly results: readonly ItemResult[];
}

/**
 * The first item that verified: the one that decides about the nullifier (spec/verification.md#nullifiers).
 */
export function firstVerified({ items, codes }: JudgedRequest): ReadyItem | undefined {
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as PreparedItem;
    if (codes[index] === undefined && item.code === undefined) return item;
  }
  return undefined;
}
