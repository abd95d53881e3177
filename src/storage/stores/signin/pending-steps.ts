import type { PendingBounds } from '../../model/store-signin.ts';
import {
  addUsage,
  networkHolder,
  type UsageEntry,
  withinPending,
} from '../../statements/signin/signin-usage.ts';
import type { Step } from '../../transaction.ts';

/** Outcome of an addition that a bound refuses. */
export type PendingRefusal = 'network_full' | 'client_full' | 'full';

/**
 * Counts an open sign-in or a pushed request and checks the bounds; every transaction updates the counts in the same
 * order.
 */
export function pendingSteps(
  entry: UsageEntry,
  clientId: string,
  { network, client, all }: PendingBounds,
  now: number,
): Step<PendingRefusal>[] {
  const steps: Step<PendingRefusal>[] = [];
  if (network !== undefined) {
    const holder = networkHolder(network.networkKey);
    steps.push([addUsage(entry, holder)], [withinPending(network, now, holder), 'network_full']);
  }
  steps.push([addUsage(entry, clientId)], [withinPending(client, now, clientId), 'client_full']);
  steps.push([addUsage(entry)], [withinPending(all, now), 'full']);
  return steps;
}
