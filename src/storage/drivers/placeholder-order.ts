import { LRUCache } from 'lru-cache';

const PLACEHOLDER = /\$(\d+)/g;
const MAX_KNOWN_ORDERS = 256;

// There are few statements, and they run often.
const knownOrders = new LRUCache<string, readonly number[]>({ max: MAX_KNOWN_ORDERS });

/**
 * Returns the placeholder numbers of a statement in the order of their first appearance, which is the order
 * in which SQLite counts named parameters; undefined if they are not exactly 1 to n.
 */
export function placeholderOrder(sql: string): readonly number[] | undefined {
  const known = knownOrders.get(sql);
  if (known !== undefined) return known;
  const order = [...new Set(Array.from(sql.matchAll(PLACEHOLDER), (match) => Number(match[1])))];
  if (order.some((number) => number < 1 || number > order.length)) return undefined;
  knownOrders.set(sql, order);
  return order;
}
