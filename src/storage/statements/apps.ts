import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { AppRow, VerificationState } from '../store.ts';
import { integerColumn, optionalIntegerColumn, textColumn, wordColumn } from './columns.ts';

const COLUMNS = 'app_id, rp_id, name, status, verification, development_at, created_at, updated_at';
const STATUSES = ['active', 'disabled'] as const;
const VERIFICATION_STATES: readonly VerificationState[] = [
  'none',
  'pending',
  'registered',
  'failed',
  'deactivated',
];

/** The app with this app_id. */
export function appByAppId(appId: string): Statement {
  return { sql: `select ${COLUMNS} from apps where app_id = $1`, params: [appId] };
}

/** The app with this rp_id. */
export function appByRpId(rpId: string): Statement {
  return { sql: `select ${COLUMNS} from apps where rp_id = $1`, params: [rpId] };
}

/** All apps, the oldest first. */
export function allApps(): Statement {
  return { sql: `select ${COLUMNS} from apps order by created_at, app_id`, params: [] };
}

/** Adds an app; no row comes back when the app_id or the rp_id is taken. */
export function insertApp(app: AppRow): Statement {
  return {
    sql: `insert into apps (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8) on conflict do nothing returning app_id`,
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
  };
}

/** Changes the given fields; the changed row comes back, or none when the app is unknown. */
export function updateApp(
  appId: string,
  change: Partial<Pick<AppRow, 'name' | 'status' | 'verification'>>,
  updatedAt: number,
): Statement {
  return {
    sql: `update apps set name = coalesce(cast($1 as text), name), status = coalesce(cast($2 as text), status), verification = coalesce(cast($3 as text), verification), updated_at = $4 where app_id = $5 returning ${COLUMNS}`,
    params: [change.name ?? null, change.status ?? null, change.verification ?? null, updatedAt, appId],
  };
}

/** Removes an app; its id comes back, or no row when it is unknown. */
export function deleteApp(appId: string): Statement {
  return { sql: 'delete from apps where app_id = $1 returning app_id', params: [appId] };
}

/** A row of these statements. */
export function toAppRow(row: SqlRow): AppRow {
  return {
    appId: textColumn(row[0]),
    rpId: textColumn(row[1]),
    name: textColumn(row[2]),
    status: wordColumn(STATUSES, row[3]),
    verification: wordColumn(VERIFICATION_STATES, row[4]),
    isDevelopment: optionalIntegerColumn(row[5]) !== null,
    createdAt: integerColumn(row[6]),
    updatedAt: integerColumn(row[7]),
  };
}
