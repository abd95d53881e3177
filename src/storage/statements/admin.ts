import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { AdminAnswerRow, AdminTokenRow, PlannedAnswer } from '../model/store-admin.ts';
import { bytesColumn, integerColumn, optionalIntegerColumn, textColumn, wordColumn } from './columns.ts';

const TOKEN_COLUMNS = 'token_id, hash, name, scope, created_at, expires_at';
const SCOPES: readonly AdminTokenRow['scope'][] = ['read', 'write'];

/** Adds a token; a guard that returns no row if its id is taken. */
export function insertAdminToken(row: AdminTokenRow): Statement {
  return {
    sql: `insert into admin_tokens (${TOKEN_COLUMNS}) values ($1,$2,$3,$4,$5,$6) on conflict do nothing returning 1`,
    params: [row.tokenId, row.hash, row.name, row.scope, row.createdAt, row.expiresAt],
    isGuard: true,
  };
}

/** Selects the live token with a hash. */
export function adminTokenByHash(hash: Uint8Array, now: number): Statement {
  return {
    sql: `select ${TOKEN_COLUMNS} from admin_tokens where hash = $1 and (expires_at is null or expires_at > $2)`,
    params: [hash, now],
  };
}

/** Selects the live tokens, the oldest first. */
export function adminTokens(now: number): Statement {
  return {
    sql: `select ${TOKEN_COLUMNS} from admin_tokens where expires_at is null or expires_at > $1 order by created_at, token_id`,
    params: [now],
  };
}

/** Removes a token; a guard that returns no row if there is none. */
export function deleteAdminToken(tokenId: string): Statement {
  return {
    sql: 'delete from admin_tokens where token_id = $1 returning 1',
    params: [tokenId],
    isGuard: true,
  };
}

/** Parses a row of the statements that select tokens. */
export function toAdminTokenRow(row: SqlRow): AdminTokenRow {
  return {
    tokenId: textColumn(row[0]),
    hash: bytesColumn(row[1]),
    name: textColumn(row[2]),
    scope: wordColumn(SCOPES, row[3]),
    createdAt: integerColumn(row[4]),
    expiresAt: optionalIntegerColumn(row[5]),
  };
}

/** Stores the answer to a request, replacing one that has ended; a guard that returns no row if there is a live one. */
export function insertAdminAnswer(
  { keyHash, requestHash, expiresAt }: PlannedAnswer,
  answer: string,
  now: number,
): Statement {
  return {
    sql: 'insert into admin_answers (key_hash, request_hash, answer, expires_at) values ($1,$2,$3,$4) on conflict (key_hash) do update set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at where admin_answers.expires_at <= $5 returning 1',
    params: [keyHash, requestHash, answer, expiresAt, now],
    isGuard: true,
  };
}

/** Selects the live answer to the request with a key. */
export function adminAnswer(keyHash: Uint8Array, now: number): Statement {
  return {
    sql: 'select request_hash, answer from admin_answers where key_hash = $1 and expires_at > $2',
    params: [keyHash, now],
  };
}

/** Parses a row of `adminAnswer`. */
export function toAdminAnswerRow(row: SqlRow): AdminAnswerRow {
  return { requestHash: bytesColumn(row[0]), answer: textColumn(row[1]) };
}
