import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { CodeRow, NewCode, SpentProof } from '../../model/store-signin.ts';
import type { Bytes32, UsedProof } from '../../values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import {
  bytesColumn,
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
} from '../columns.ts';

const NEW_COLUMNS = `code_hash, client_id, redirect_uri, scope, code_challenge, nonce, code_expires_at, expires_at, ${ACCEPTED_COLUMNS}, sid, dpop_jkt`;

/** Adds a code that nobody has used. */
export function insertCode(code: NewCode): Statement {
  return {
    sql: `insert into authorization_codes (${NEW_COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)`,
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
      code.sid,
      code.dpopJkt,
    ],
  };
}

/** Selects the code of a client by its hash, until the row expires. */
export function codeByHash(codeHash: Bytes32, clientId: string, now: number): Statement {
  return {
    sql: `select ${NEW_COLUMNS}, used_at, jti from authorization_codes where code_hash = $1 and client_id = $2 and expires_at > $3`,
    params: [codeHash, clientId, now],
  };
}

/**
 * Marks a code of a client as used and erases the person and the nonce; the row stays at least until
 * `tokensEndAt`. A guard that returns no row if the code is unknown, used or expired.
 */
export function useCode(
  codeHash: Bytes32,
  clientId: string,
  jti: string,
  tokensEndAt: number,
  now: number,
): Statement {
  return {
    sql: 'update authorization_codes set used_at = $5, jti = $3, nonce = null, sub = null, level = null, auth_time = null, sid = null, expires_at = case when expires_at > $4 then expires_at else $4 end where code_hash = $1 and client_id = $2 and used_at is null and code_expires_at > $5 returning 1',
    params: [codeHash, clientId, jti, tokensEndAt, now],
    isGuard: true,
  };
}

/** Selects one row if a code was used for the token with this id. */
export function codeUsedFor(codeHash: Bytes32, jti: string): Statement {
  return {
    sql: 'select 1 from authorization_codes where code_hash = $1 and jti = $2',
    params: [codeHash, jti],
  };
}

/** Selects one row if a code exists, used or not. */
export function codeExists(codeHash: Bytes32): Statement {
  return { sql: 'select 1 from authorization_codes where code_hash = $1', params: [codeHash] };
}

/** Parses a row of `codeByHash`. */
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
    sid: optionalTextColumn(row[11] ?? null),
    dpopJkt: optionalTextColumn(row[12] ?? null),
    usedAt: optionalIntegerColumn(row[13] ?? null),
    jti: optionalTextColumn(row[14] ?? null),
  };
}

/** Puts a token on the revocation list; if it is listed already, the later end is kept. */
export function insertRevocation(jti: string, expiresAt: number): Statement {
  return {
    sql: 'insert into revoked_tokens as t (jti, expires_at) values ($1,$2) on conflict (jti) do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at',
    params: [jti, expiresAt],
  };
}

/** Selects a row if the token, or the family that it belongs to, is on the revocation list. */
export function revocation(jti: string, familyId: string, now: number): Statement {
  return {
    sql: 'select 1 from revoked_tokens where jti in ($1, $2) and expires_at > $3 limit 1',
    params: [jti, familyId, now],
  };
}

/** Records a proof as spent; a guard that returns no row if it was spent already. */
export function insertSpent({ hash, expiresAt }: SpentProof, now: number): Statement {
  return {
    sql: 'insert into spent_signins as t (hash, expires_at) values ($1,$2) on conflict (hash) do update set expires_at = excluded.expires_at where t.expires_at <= $3 returning 1',
    params: [hash, expiresAt, now],
    isGuard: true,
  };
}

/** Records a proof of possession as used; a guard that returns no row if it was used before. */
export function insertUsedProof({ hash, expiresAt }: UsedProof): Statement {
  return {
    sql: 'insert into dpop_proofs (proof_hash, expires_at) values ($1,$2) on conflict (proof_hash) do nothing returning 1',
    params: [hash, expiresAt],
    isGuard: true,
  };
}
