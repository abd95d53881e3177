import { WORD_AT } from '../request/request-types.ts';
import type { PreparedItem, ReadyItem } from './verify-item.ts';

/** The index of the first item that asks the engine the same, which may be this one. */
export function firstAlike(items: readonly PreparedItem[], index: number): number {
  const item = items[index] as PreparedItem;
  if (item.code !== undefined) return index;
  for (let before = 0; before < index; before++) {
    const other = items[before] as PreparedItem;
    if (other.code === undefined && isSame(item, other)) return before;
  }
  return index;
}

function isSame(one: ReadyItem, other: ReadyItem): boolean {
  return one.keyId === other.keyId && isEqual(one.bytes, other.bytes);
}

/** Looks at the nullifier first: all around it is mostly the same. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  const last = WORD_AT.signalHash - 1;
  if (one[last] !== other[last]) return false;
  for (let at = one.length - 1; at >= 0; at--) if (one[at] !== other[at]) return false;
  return true;
}
