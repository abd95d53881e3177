import type { Driver } from '../../drivers/driver.ts';
import type { BridgeLimits, BridgeSender } from '../../model/store-bridge.ts';
import { integerColumn } from '../../statements/columns.ts';
import {
  ALL_NETWORKS,
  type BridgeUsage,
  largestNetwork,
  networksWithEnded,
  networkUsage,
  oldestBytes,
  releaseOldest,
  toNetworkKey,
  toUsage,
} from '../../statements/signin/bridge-charges.ts';
import { writeAll } from '../../transaction.ts';

/** Most messages that one transaction removes to make room. */
const MAX_RELEASED = 64;
/** A network must make room if it holds at least this many times what the new sender's network will hold. */
const FAIR_FACTOR = 2;

/**
 * Makes room on a bridge that strangers have filled: removes messages that have ended or, if there are none,
 * the oldest messages of the network that holds the most, in favour of a network that holds clearly less.
 * Networks that hold about the same never make room for each other, so an attacker who fills the bridge gains
 * nothing by retrying.
 *
 * @param needed - Usage to be added for `sender`.
 * @returns Number of removed live messages, or undefined if no room can be made.
 */
export async function makeRoom(
  driver: Driver,
  needed: BridgeUsage,
  sender: BridgeSender,
  now: number,
): Promise<number | undefined> {
  if ((await releaseEnded(driver, now, MAX_RELEASED)) > 0) return 0;
  const excess = excessOf(await usageOf(driver, ALL_NETWORKS), needed, sender.limits);
  if (excess.entries <= 0 && excess.bytes <= 0) return 0;
  const scarce = excess.entries > 0 ? 'entries' : 'bytes';
  const own = await usageOf(driver, sender.networkKey);
  const [row] = await driver.read(largestNetwork(scarce));
  if (row === undefined) return undefined;
  const largest = toNetworkKey(row);
  const held = await usageOf(driver, largest);
  if (held[scarce] < FAIR_FACTOR * (own[scarce] + needed[scarce])) return undefined;
  const count = await countOldest(driver, largest, excess);
  return await release(driver, largest, Number.MAX_SAFE_INTEGER, count);
}

/** Whether the usage of all strangers, with an addition, exceeds the bounds. */
export function isBeyond(held: BridgeUsage, added: BridgeUsage, limits: BridgeLimits): boolean {
  const { entries, bytes } = excessOf(held, added, limits);
  return entries > 0 || bytes > 0;
}

/** Reads the usage of a network, or of all. */
export async function usageOf(driver: Driver, networkKey: string): Promise<BridgeUsage> {
  const [row] = await driver.read(networkUsage(networkKey));
  return toUsage(row);
}

function excessOf(
  held: BridgeUsage,
  added: BridgeUsage,
  { maxEntries, maxBytes }: BridgeLimits,
): BridgeUsage {
  return {
    entries: held.entries + added.entries - maxEntries,
    bytes: held.bytes + added.bytes - maxBytes,
  };
}

/**
 * Removes messages of strangers that have ended: finds the networks of the first `limit` of them and removes
 * up to `limit` messages of each network. Returns the number of removed messages.
 */
export async function releaseEnded(driver: Driver, now: number, limit: number): Promise<number> {
  let count = 0;
  for (const row of await driver.read(networksWithEnded(now, limit))) {
    count += await release(driver, toNetworkKey(row), now, limit);
  }
  return count;
}

/** Counts the oldest messages of a network that must be removed to end an excess. */
async function countOldest(driver: Driver, networkKey: string, excess: BridgeUsage): Promise<number> {
  const sizes = await driver.read(oldestBytes(networkKey, MAX_RELEASED));
  let freed = 0;
  let count = 0;
  while (count < sizes.length && (count < excess.entries || freed < excess.bytes)) {
    freed += integerColumn(sizes[count]?.[0]);
    count++;
  }
  return count;
}

async function release(driver: Driver, networkKey: string, until: number, limit: number): Promise<number> {
  const results = await writeAll(driver, releaseOldest(networkKey, until, limit));
  return results.at(-1)?.length ?? 0;
}
