import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { CodeRow, NewCode, SpentProof } from '../../model/store-signin.ts';
import type { Bytes32 } from '../../model/values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import {
  bytesColumn,
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
} from '../columns.ts';

const NEW_COLUMNS = `code_hash, client_id, redirect_uri, scope, code_challenge, nonce, code_expires_at, expires_at, ${ACCEPTED_COLUMNS}`;

/** Adds a code that nobody has used. */
export function insertCode(code: NewCode): Statement {
  return {
    sql: `insert into authorization_codes (${NEW_COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)`,
    params: [
      code.codeHash,
      code.clientId,
      code.redirectUri,
      code.scope,
      code.codeChallenge,
      code.nonce,
      code.codeExpiresAt,
      code.expiresAt,
      ...acceptedValues(code.accepted),
    ],
  };
}

/** The code of a client with this hash, while its row lives. */
export function codeByHash(codeHash: Bytes32, clientId: string, now: number): Statement {
  return {
    sql: `select ${NEW_COLUMNS}, used_at, jti from authorization_codes where code_hash = $1 and client_id = $2 and expires_at > $3`,
    params: [codeHash, clientId, now],
  };
}

/**
 * Marks a code of a client as used and erases whom it shows and the nonce; the row stays at least until
 * `tokensEndAt`. A guard that gives no row when the code is unknown, used or over.
 */
export function useCode(
  codeHash: Bytes32,
  clientId: string,
  jti: string,
  tokensEndAt: number,
  now: number,
): Statement {
  return {
    sql: 'update authorization_codes set used_at = $5, jti = $3, nonce = null, sub = null, level = null, auth_time = null, expires_at = case when expires_at > $4 then expires_at else $4 end where code_hash = $1 and client_id = $2 and used_at is null and code_expires_at > $5 returning 1',
    params: [codeHash, clientId, jti, tokensEndAt, now],
    isGuard: true,
  };
}

/** A row of `codeByHash`. */
export function toCodeRow(row: SqlRow): CodeRow {
  return {
    codeHash: bytesColumn(row[0]),
    clientId: textColumn(row[1]),
    redirectUri: textColumn(row[2]),
    scope: textColumn(row[3]),
    codeChallenge: optionalTextColumn(row[4]),
    nonce: optionalTextColumn(row[5]),
    codeExpiresAt: integerColumn(row[6]),
    expiresAt: integerColumn(row[7]),
    accepted: toAcceptedProof(row, 8),
    usedAt: optionalIntegerColumn(row[11] ?? null),
    jti: optionalTextColumn(row[12] ?? null),
  };
}

/** Puts a token on the revocation list; of two ends the later one stays. */
export function insertRevocation(jti: string, expiresAt: number): Statement {
  return {
    sql: 'insert into revoked_tokens as t (jti, expires_at) values ($1,$2) on conflict (jti) do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at',
    params: [jti, expiresAt],
  };
}

/** One row when the token is on the revocation list. */
export function revocation(jti: string, now: number): Statement {
  return { sql: 'select 1 from revoked_tokens where jti = $1 and expires_at > $2', params: [jti, now] };
}

/** Records a proof as spent; a guard that gives no row when it was. */
export function insertSpent({ hash, expiresAt }: SpentProof, now: number): Statement {
  return {
    sql: 'insert into spent_signins as t (hash, expires_at) values ($1,$2) on conflict (hash) do update set expires_at = excluded.expires_at where t.expires_at <= $3 returning 1',
    params: [hash, expiresAt, now],
    isGuard: true,
  };
}
