import type { SqlRow, Statement } from '../drivers/driver.ts';
import {
  type ActionFilter,
  type ActionRow,
  type RefusalRow,
  USAGE_KINDS,
  type UsageRow,
} from '../model/store-usage.ts';
import type { Environment } from '../model/values.ts';
import { rowsTemplate } from '../sql.ts';
import { bytesColumn, integerColumn, textColumn, wordColumn } from './columns.ts';
import { ENVIRONMENTS } from './roots.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Stands for the app_id of rows that count all apps. */
export const ALL_APPS = '';
/** How long counts are kept. */
const USAGE_DAYS = 90;
const REFUSAL_HOURS = 7 * 24;
const ACTION_COLUMNS =
  'a.app_id, a.environment, a.action, a.action_description, a.action_hash, a.created_at, coalesce(c.amount, 0)';
const ACTIONS =
  'from actions a left join action_counts c on c.app_id = a.app_id and c.action_hash = a.action_hash and c.environment = a.environment';

/** Number of an action to add. */
export interface ActionAmount {
  readonly appId: string;
  readonly hash: Uint8Array;
  readonly environment: Environment;
  readonly amount: number;
}

const usageRows = rowsTemplate(
  6,
  (list) =>
    `insert into usage_days (app_id, day, environment, kind, amount, expires_at) values ${list} on conflict (app_id, day, environment, kind) do update set amount = usage_days.amount + excluded.amount`,
);

const actionRows = rowsTemplate(
  4,
  (list) =>
    `insert into action_counts (app_id, action_hash, environment, amount) values ${list} on conflict (app_id, action_hash, environment) do update set amount = action_counts.amount + excluded.amount`,
);

const refusalRows = rowsTemplate(
  6,
  (list) =>
    `insert into refusal_hours (hour, code, route, amount, last_at, expires_at) values ${list} on conflict (hour, code, route) do update set amount = refusal_hours.amount + excluded.amount, last_at = excluded.last_at`,
);

/**
 * Adds to the counts of days, and to those of all apps together. Rows of all nodes come in one order, so that their
 * transactions cannot block each other.
 */
export function addUsage(rows: readonly UsageRow[]): Statement[] {
  const totals = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = `${row.day} ${row.environment} ${row.kind}`;
    const amount = (totals.get(key)?.amount ?? 0) + row.amount;
    totals.set(key, { ...row, appId: ALL_APPS, amount });
  }
  const values = [...rows, ...totals.values()].map(({ appId, day, environment, kind, amount }) => [
    ...[appId, day, environment, kind, amount, (day + USAGE_DAYS) * DAY_MS],
  ]);
  return usageRows(values.sort(byText));
}

/** Adds to the counts of actions. */
export function addActionAmounts(rows: readonly ActionAmount[]): Statement[] {
  const values = rows.map(({ appId, hash, environment, amount }) => [appId, hash, environment, amount]);
  return actionRows(values.sort(byText));
}

/** Adds to the counts of refusals. */
export function addRefusals(rows: readonly RefusalRow[]): Statement[] {
  const values = rows.map(({ hour, code, route, amount, lastAt }) => [
    ...[hour, code, route, amount, lastAt, (hour + REFUSAL_HOURS) * HOUR_MS],
  ]);
  return refusalRows(values.sort(byText));
}

function byText(one: readonly unknown[], other: readonly unknown[]): number {
  const [a, b] = [one, other].map((values) => values.slice(0, 4).join(' '));
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** Selects the counts of an app from a day on, those of all apps together under `ALL_APPS`. */
export function usageFrom(fromDay: number, appId: string): Statement {
  return {
    sql: 'select app_id, day, environment, kind, amount from usage_days where app_id = $1 and day >= $2 order by day, environment, kind',
    params: [appId, fromDay],
  };
}

/** Sums the usage of the apps with most of it from a day on, by kind; an absent environment selects both. */
export function usageByApp(fromDay: number, limit: number, environment?: Environment): Statement {
  const selected = 'day >= $1 and (cast($3 as text) is null or environment = $3)';
  return {
    sql: `select app_id, kind, cast(sum(amount) as bigint) from usage_days where ${selected} and app_id in (select app_id from usage_days where ${selected} and app_id <> '${ALL_APPS}' group by app_id order by sum(amount) desc, app_id limit $2) group by app_id, kind`,
    params: [fromDay, limit, environment ?? null],
  };
}

/** Parses a row of `usageByApp`. */
export function toAppUsage(row: SqlRow): Pick<UsageRow, 'appId' | 'kind' | 'amount'> {
  return {
    ...{ appId: textColumn(row[0]), kind: wordColumn(USAGE_KINDS, row[1]), amount: integerColumn(row[2]) },
  };
}

/** Selects one page of the actions of an app. */
export function actionsOf(appId: string, { environment, after }: ActionFilter, limit: number): Statement {
  return {
    sql: `select ${ACTION_COLUMNS} ${ACTIONS} where a.app_id = $1 and (cast($2 as text) is null or a.environment = $2) and (a.action_hash, a.environment) > ($3, $4) order by a.action_hash, a.environment limit $5`,
    params: [appId, environment ?? null, after?.hash ?? new Uint8Array(0), after?.environment ?? '', limit],
  };
}

/** Selects one action. */
export function actionOf(appId: string, environment: Environment, hash: Uint8Array): Statement {
  return {
    sql: `select ${ACTION_COLUMNS} ${ACTIONS} where a.app_id = $1 and a.environment = $2 and a.action_hash = $3`,
    params: [appId, environment, hash],
  };
}

/** Sums refusals by code and route from an hour on, the most frequent first. */
export function refusalsFrom(fromHour: number, limit: number): Statement {
  return {
    sql: 'select max(hour), code, route, cast(sum(amount) as bigint) as total, max(last_at) from refusal_hours where hour >= $1 group by code, route order by total desc, code, route limit $2',
    params: [fromHour, limit],
  };
}

/** Removes nullifiers of a staging action in the range `from <= nullifier < to`; returns one row for each. */
export function deleteStagingNullifiers(
  appId: string,
  action: string,
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
): Statement {
  return {
    sql: "delete from nullifiers where nullifier >= $1 and nullifier < $2 and environment = 'staging' and app_id = $3 and action = $4 returning 1",
    params: [from, to, appId, action],
  };
}

/** Forgets the count of a staging action. */
export function deleteStagingCount(appId: string, hash: Uint8Array): Statement {
  return {
    sql: "delete from action_counts where app_id = $1 and action_hash = $2 and environment = 'staging'",
    params: [appId, hash],
  };
}

/** Parses a row of `usageFrom`. */
export function toUsageRow(row: SqlRow): UsageRow {
  return {
    appId: textColumn(row[0]),
    day: integerColumn(row[1]),
    environment: wordColumn(ENVIRONMENTS, row[2]),
    kind: wordColumn(USAGE_KINDS, row[3]),
    amount: integerColumn(row[4]),
  };
}

/** Parses a row of `actionsOf` or `actionOf`. */
export function toActionRow(row: SqlRow): ActionRow {
  return {
    appId: textColumn(row[0]),
    environment: wordColumn(ENVIRONMENTS, row[1]),
    action: textColumn(row[2]),
    description: textColumn(row[3]),
    hash: bytesColumn(row[4]),
    createdAt: integerColumn(row[5]),
    amount: integerColumn(row[6]),
  };
}

/** Parses a row of `refusalsFrom`. */
export function toRefusalRow(row: SqlRow): RefusalRow {
  return {
    hour: integerColumn(row[0]),
    code: textColumn(row[1]),
    route: textColumn(row[2]),
    amount: integerColumn(row[3]),
    lastAt: integerColumn(row[4]),
  };
}
