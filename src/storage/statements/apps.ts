import { completePolicy, type PolicyFields, type VerificationPolicy } from '../../config/apps/policy.ts';
import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { AppPlace, AppRow, VerificationState } from '../model/store.ts';
import { toClientMetadata } from './clients.ts';
import {
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from './columns.ts';

const COLUMNS = 'app_id, rp_id, name, status, verification, development_at, created_at, updated_at';
const SELECT =
  'select a.app_id, a.rp_id, a.name, a.status, a.verification, a.development_at, a.created_at, a.updated_at, c.metadata, l.app_id, p.policy from apps a left join clients c on c.app_id = a.app_id left join client_logos l on l.app_id = a.app_id left join app_policies p on p.app_id = a.app_id';
const STATUSES = ['active', 'disabled'] as const;
const VERIFICATION_STATES: readonly VerificationState[] = [
  'none',
  'pending',
  'registered',
  'failed',
  'deactivated',
];

/** Selects the app with this app_id. */
export function appByAppId(appId: string): Statement {
  return { sql: `${SELECT} where a.app_id = $1`, params: [appId] };
}

/** Selects the app with this rp_id. */
export function appByRpId(rpId: string): Statement {
  return { sql: `${SELECT} where a.rp_id = $1`, params: [rpId] };
}

/** Selects all apps, the oldest first. */
export function allApps(): Statement {
  return { sql: `${SELECT} order by a.created_at, a.app_id`, params: [] };
}

/** Selects one page of apps, the latest first. */
export function appPage(limit: number, search: string, after: AppPlace | undefined): Statement {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return {
    sql: `${SELECT} where (a.created_at, a.app_id) < ($2, $3) and (lower(a.name) like $1 escape '\\' or a.app_id like $1 escape '\\' or a.rp_id like $1 escape '\\') order by a.created_at desc, a.app_id desc limit $4`,
    params: [pattern, after?.createdAt ?? Number.MAX_SAFE_INTEGER, after?.appId ?? '', limit],
  };
}

/** Adds an app without its client; a guard that returns no row if the app_id or the rp_id is taken. */
export function insertApp(app: AppRow): Statement {
  return {
    sql: `insert into apps (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8) on conflict do nothing returning 1`,
    params: [
      app.appId,
      app.rpId,
      app.name,
      app.status,
      app.verification,
      app.isDevelopment ? app.createdAt : null,
      app.createdAt,
      app.updatedAt,
    ],
    isGuard: true,
  };
}

/** Changes the given fields; a guard that returns no row if the app is gone or was changed since it was read. */
export function updateApp(
  { appId, updatedAt: version }: Pick<AppRow, 'appId' | 'updatedAt'>,
  change: Partial<Pick<AppRow, 'rpId' | 'name' | 'status' | 'verification'>>,
  updatedAt: number,
): Statement {
  return {
    sql: 'update apps set rp_id = coalesce(cast($1 as text), rp_id), name = coalesce(cast($2 as text), name), status = coalesce(cast($3 as text), status), verification = coalesce(cast($4 as text), verification), updated_at = $5 where app_id = $6 and updated_at = $7 returning 1',
    params: [
      change.rpId ?? null,
      change.name ?? null,
      change.status ?? null,
      change.verification ?? null,
      ...[updatedAt, appId, version],
    ],
    isGuard: true,
  };
}

/** Returns a row if no other app has this rp_id; a guard as above. */
export function isRpIdFree(rpId: string, appId: string): Statement {
  return {
    sql: 'select 1 where not exists (select 1 from apps where rp_id = $1 and app_id <> $2)',
    params: [rpId, appId],
    isGuard: true,
  };
}

/** Locks the row of an app, so that transactions on one app are serialized; a guard as above. */
export function lockApp(appId: string): Statement {
  return {
    sql: 'update apps set updated_at = updated_at where app_id = $1 returning 1',
    params: [appId],
    isGuard: true,
  };
}

/** Writes the policy of an app, replacing the stored one. */
export function putPolicy(appId: string, policy: VerificationPolicy): Statement {
  return {
    sql: 'insert into app_policies (app_id, policy) values ($1,$2) on conflict (app_id) do update set policy = excluded.policy',
    params: [appId, JSON.stringify(policy)],
  };
}

/** Removes an app; a guard as `updateApp`. */
export function deleteApp({ appId, updatedAt }: Pick<AppRow, 'appId' | 'updatedAt'>): Statement {
  return {
    sql: 'delete from apps where app_id = $1 and updated_at = $2 returning 1',
    params: [appId, updatedAt],
    isGuard: true,
  };
}

/** Parses a row of the statements that look apps up. An app that an earlier release made has no policy. */
export function toAppRow(row: SqlRow): AppRow {
  const appId = textColumn(row[0]);
  const isDevelopment = optionalIntegerColumn(row[5]) !== null;
  const policy = optionalTextColumn(row[10]);
  return {
    appId,
    rpId: textColumn(row[1]),
    name: textColumn(row[2]),
    status: wordColumn(STATUSES, row[3]),
    verification: wordColumn(VERIFICATION_STATES, row[4]),
    isDevelopment,
    client: toClientMetadata(optionalTextColumn(row[8])),
    // Only `putPolicy` and a migration write the column.
    policy: completePolicy(
      policy === null ? null : (JSON.parse(policy) as PolicyFields),
      appId,
      isDevelopment,
    ),
    hasLogo: optionalTextColumn(row[9]) !== null,
    createdAt: integerColumn(row[6]),
    updatedAt: integerColumn(row[7]),
  };
}
