import type { Bytes32, Environment } from './values.ts';

/**
 * Requests that are counted by app and day: verifications whose nullifier was new, those whose nullifier was recorded
 * before, those of sessions, refused verifications, and completed sign-ins.
 */
export type UsageKind =
  | 'verified_new'
  | 'verified_reused'
  | 'verified_session'
  | 'verify_refused'
  | 'signed_in';

/** Kinds of usage, in the order in which they are listed. */
export const USAGE_KINDS: readonly UsageKind[] = [
  ...(['verified_new', 'verified_reused', 'verified_session', 'verify_refused', 'signed_in'] as const),
];

/** Number of requests of one kind. */
export interface UsageRow {
  readonly appId: string;
  /** Days since the epoch, UTC. */
  readonly day: number;
  readonly environment: Environment;
  readonly kind: UsageKind;
  readonly amount: number;
}

/** Nullifiers newly recorded for an action. */
export interface ActionUsage {
  readonly appId: string;
  readonly environment: Environment;
  readonly action: string;
  readonly amount: number;
}

/** Refusals of one code on one route within an hour. */
export interface RefusalRow {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly code: string;
  readonly route: string;
  readonly amount: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Counts to add to those in the store. */
export interface UsageCounts {
  readonly usage: readonly UsageRow[];
  readonly actions: readonly ActionUsage[];
  readonly refusals: readonly RefusalRow[];
}

/** An action of an app, with the number of its nullifiers. */
export interface ActionRow {
  readonly appId: string;
  readonly environment: Environment;
  readonly action: string;
  readonly description: string;
  /** SHA-256 of the action. */
  readonly hash: Bytes32;
  /** When it was first seen, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Number of recorded nullifiers; approximate, since the counts of a node that was killed are lost. */
  readonly amount: number;
}

/** Selects actions of an app; an absent member selects all. */
export interface ActionFilter {
  readonly environment?: Environment | undefined;
  /** Only actions after this one, in the order of the list. */
  readonly after?: Pick<ActionRow, 'environment' | 'hash'> | undefined;
}

/** Counts for operators. They are written every few seconds by each node and are approximate: see `ActionRow.amount`. */
export interface UsageStore {
  /** Adds counts, in one transaction. */
  add(counts: UsageCounts): Promise<void>;
  /** Lists the usage of an app from a day on, the oldest day first. */
  list(fromDay: number, appId: string): Promise<UsageRow[]>;
  /** Lists the usage of all apps together from a day on, the oldest day first. */
  totals(fromDay: number): Promise<Omit<UsageRow, 'appId'>[]>;
  /** Sums the usage of the apps with most of it from a day on, by app and kind, in no order. */
  byApp(
    fromDay: number,
    limit: number,
    environment?: Environment,
  ): Promise<Pick<UsageRow, 'appId' | 'kind' | 'amount'>[]>;
  /** Lists one page of the actions of an app, by hash and environment. */
  listActions(appId: string, filter: ActionFilter, limit: number): Promise<ActionRow[]>;
  /** Looks up an action by its text. */
  findAction(appId: string, environment: Environment, action: string): Promise<ActionRow | undefined>;
  /** Sums refusals by code and route from an hour on, the most frequent first. */
  listRefusals(fromHour: number, limit: number): Promise<RefusalRow[]>;
  /**
   * Removes the nullifiers of an action in the staging environment, in batches, so that its proofs can be used again;
   * returns their number. Those of production are never removed.
   */
  resetStagingAction(appId: string, action: string): Promise<number>;
}
