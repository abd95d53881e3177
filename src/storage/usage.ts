import type { AuditWriter } from './audit/audit-log.ts';
import { auditAll } from './audit/audit-writer.ts';
import { countRemoved } from './batches.ts';
import { columns, integer, type RowOf, selected, text, word } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { ACTION, actionHash } from './nullifiers/nullifier-rows.ts';
import { point, rowsTemplate, scan, write } from './sql.ts';
import { writeAll } from './transaction.ts';
import { ENVIRONMENTS, type Environment } from './values.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Stands for the app_id of rows that count all apps. */
const ALL_APPS = '';
/** Retention of counts, in days. */
const USAGE_DAYS = 90;
const REFUSAL_HOURS = 7 * 24;

/**
 * Kinds of usage, in the order in which they are listed: requests that are counted by app and day, which are verifications
 * whose nullifier was new, those whose nullifier was recorded before, those of sessions, refused verifications, and
 * completed sign-ins.
 */
export const USAGE_KINDS = [
  'verified_new',
  'verified_reused',
  'verified_session',
  'verify_refused',
  'signed_in',
] as const;
/** Kind of usage. */
export type UsageKind = (typeof USAGE_KINDS)[number];

const USAGE = columns({
  appId: text,
  /** Days since the epoch, UTC. */
  day: integer,
  environment: word(ENVIRONMENTS),
  kind: word(USAGE_KINDS),
  amount: integer,
});
/** Number of requests of one kind. */
export type UsageRow = RowOf<typeof USAGE>;

const APP_USAGE = columns({
  appId: text,
  kind: word(USAGE_KINDS),
  amount: selected('cast(sum(amount) as bigint)', integer),
});
/** Number of requests of one kind to one app, over some days. */
export type AppUsage = RowOf<typeof APP_USAGE>;

const COUNTED_ACTION = columns({
  ...ACTION.members,
  /** Number of recorded nullifiers; approximate, since the counts of a node that was killed are lost. */
  amount: selected('coalesce(c.amount, 0)', integer),
});
/** An action of an app, with the number of its nullifiers. */
export type ActionRow = RowOf<typeof COUNTED_ACTION>;

const REFUSAL = columns({
  /** Hours since the epoch. */
  hour: selected('max(hour)', integer),
  code: text,
  route: text,
  amount: selected('cast(sum(amount) as bigint) as total', integer),
  /** Milliseconds since the epoch. */
  lastAt: selected('max(last_at)', integer),
});
/** Refusals of one code on one route within an hour. */
export type RefusalRow = RowOf<typeof REFUSAL>;

/** Nullifiers newly recorded for an action. */
export type ActionUsage = Pick<ActionRow, 'appId' | 'environment' | 'action' | 'amount'>;

/** Counts to add to those in the store. */
export interface UsageCounts {
  readonly usage: readonly UsageRow[];
  readonly actions: readonly ActionUsage[];
  readonly refusals: readonly RefusalRow[];
}

/** Selects actions of an app; an absent member selects all. */
export interface ActionFilter {
  readonly environment?: Environment | undefined;
  /** Only actions after this one, in the order of the list. */
  readonly after?: Pick<ActionRow, 'environment' | 'hash'> | undefined;
}

const addToDays = rowsTemplate(
  6,
  (list) =>
    `insert into usage_days (app_id, day, environment, kind, amount, expires_at) values ${list} on conflict (app_id, day, environment, kind) do update set amount = usage_days.amount + excluded.amount`,
);
const addToActions = rowsTemplate(
  4,
  (list) =>
    `insert into action_counts (app_id, action_hash, environment, amount) values ${list} on conflict (app_id, action_hash, environment) do update set amount = action_counts.amount + excluded.amount`,
);
const addToRefusals = rowsTemplate(
  6,
  (list) =>
    `insert into refusal_hours (hour, code, route, amount, last_at, expires_at) values ${list} on conflict (hour, code, route) do update set amount = refusal_hours.amount + excluded.amount, last_at = excluded.last_at`,
);
const usageFrom = scan(
  USAGE,
  `select ${USAGE.list()} from usage_days where app_id = $1 and day >= $2 order by day, environment, kind`,
);
const IS_SELECTED = 'day >= $1 and (cast($3 as text) is null or environment = $3)';
const usageByApp = scan(
  APP_USAGE,
  `select ${APP_USAGE.list()} from usage_days where ${IS_SELECTED} and app_id in (select app_id from usage_days where ${IS_SELECTED} and app_id <> '${ALL_APPS}' group by app_id order by sum(amount) desc, app_id limit $2) group by app_id, kind`,
);
const SELECT_ACTIONS = `select ${COUNTED_ACTION.list('a')} from actions a left join action_counts c on c.app_id = a.app_id and c.action_hash = a.action_hash and c.environment = a.environment where a.app_id = $1`;
const actionPage = point(
  COUNTED_ACTION,
  `${SELECT_ACTIONS} and (cast($2 as text) is null or a.environment = $2) and (a.action_hash, a.environment) > ($3, $4) order by a.action_hash, a.environment limit $5`,
);
const actionByHash = point(COUNTED_ACTION, `${SELECT_ACTIONS} and a.environment = $2 and a.action_hash = $3`);
const refusalsFrom = scan(
  REFUSAL,
  `select ${REFUSAL.list()} from refusal_hours where hour >= $1 group by code, route order by total desc, code, route limit $2`,
);
const deleteStagingNullifiers = write(
  "delete from nullifiers where nullifier >= $1 and nullifier < $2 and environment = 'staging' and app_id = $3 and action = $4 returning 1",
);
const deleteStagingCount = write(
  "delete from action_counts where app_id = $1 and action_hash = $2 and environment = 'staging'",
);

/** Bounds of the parts of the key of nullifiers, by its first byte. */
const KEY_RANGES = Array.from(
  { length: 256 },
  (_, byte) =>
    [Uint8Array.of(byte), byte === 255 ? new Uint8Array(33).fill(255) : Uint8Array.of(byte + 1)] as const,
);

/** Counts for operators. They are written every few seconds by each node and are approximate: see `ActionRow.amount`. */
export type UsageStore = ReturnType<typeof createUsageStore>;

/** Creates the store of counts over a driver. */
export function createUsageStore(driver: Driver, audit: AuditWriter) {
  return {
    /**
     * Adds counts, in one transaction. Rows of all nodes come in one order, so that their transactions cannot block each
     * other.
     */
    async add({ usage, actions, refusals }: UsageCounts): Promise<void> {
      const days = [...usage, ...totalsOf(usage)].map(({ appId, day, environment, kind, amount }) => [
        appId,
        day,
        environment,
        kind,
        amount,
        (day + USAGE_DAYS) * DAY_MS,
      ]);
      const amounts = actions.map(({ appId, action, environment, amount }) => [
        appId,
        actionHash(action),
        environment,
        amount,
      ]);
      const hours = refusals.map(({ hour, code, route, amount, lastAt }) => [
        hour,
        code,
        route,
        amount,
        lastAt,
        (hour + REFUSAL_HOURS) * HOUR_MS,
      ]);
      const statements = [
        ...addToDays(days.sort(byText)),
        ...addToActions(amounts.sort(byText)),
        ...addToRefusals(hours.sort(byText)),
      ];
      if (statements.length > 0) await writeAll(driver, statements);
    },
    /** Lists the usage of an app from a day on, the oldest day first. */
    list: (fromDay: number, appId: string): Promise<UsageRow[]> => driver.scan(usageFrom(appId, fromDay)),
    /** Lists the usage of all apps together from a day on, the oldest day first. */
    totals: (fromDay: number): Promise<Omit<UsageRow, 'appId'>[]> =>
      driver.scan(usageFrom(ALL_APPS, fromDay)),
    /** Sums the usage of the apps with most of it from a day on, by app and kind, in no order. */
    byApp: (fromDay: number, limit: number, environment?: Environment): Promise<AppUsage[]> =>
      driver.scan(usageByApp(fromDay, limit, environment ?? null)),
    /** Lists one page of the actions of an app, by hash and environment. */
    listActions(appId: string, { environment, after }: ActionFilter, limit: number): Promise<ActionRow[]> {
      const place = [after?.hash ?? new Uint8Array(0), after?.environment ?? ''];
      return driver.read(actionPage(appId, environment ?? null, ...place, limit));
    },
    /** Looks up an action by its text. */
    findAction: async (
      appId: string,
      environment: Environment,
      action: string,
    ): Promise<ActionRow | undefined> =>
      (await driver.read(actionByHash(appId, environment, actionHash(action))))[0],
    /** Sums refusals by code and route from an hour on, the most frequent first. */
    listRefusals: (fromHour: number, limit: number): Promise<RefusalRow[]> =>
      driver.scan(refusalsFrom(fromHour, limit)),
    /**
     * Removes the nullifiers of an action in the staging environment, in batches, so that its proofs can be used again;
     * returns their number. Those of production are never removed.
     */
    async resetStagingAction(appId: string, action: string): Promise<number> {
      // Recorded before the first row is removed: a reset that is interrupted is in the log, too.
      await auditAll(audit, [deleteStagingCount(appId, actionHash(action))], {
        action: 'action.reset',
        target: appId,
        after: { environment: 'staging', action },
      });
      let removed = 0;
      // The rows of an action have no index, which every write would pay for: one pass over the key, part by part.
      for (const range of KEY_RANGES) {
        removed += await countRemoved(driver, deleteStagingNullifiers(...range, appId, action));
      }
      return removed;
    },
  };
}

/** Returns the counts of all apps together. */
function totalsOf(usage: readonly UsageRow[]): Iterable<UsageRow> {
  const totals = new Map<string, UsageRow>();
  for (const row of usage) {
    const key = `${row.day} ${row.environment} ${row.kind}`;
    const amount = (totals.get(key)?.amount ?? 0) + row.amount;
    totals.set(key, { ...row, appId: ALL_APPS, amount });
  }
  return totals.values();
}

function byText(one: readonly unknown[], other: readonly unknown[]): number {
  const [a, b] = [one, other].map((values) => values.slice(0, 4).join(' '));
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
