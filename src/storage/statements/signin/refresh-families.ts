import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type {
  RefreshFamilyPlace,
  RefreshFamilyRow,
  RefreshRotation,
} from '../../model/store-refresh-tokens.ts';
import type { Bytes32 } from '../../values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import { bytesColumn, integerColumn, optionalTextColumn, textColumn } from '../columns.ts';

const COLUMNS = `lookup_hash, token_hash, family_id, client_id, scope, sid, jkt, created_at, last_used_at, tokens_end_at, expires_at, ${ACCEPTED_COLUMNS}`;

/** Adds a family. */
export function insertFamily(family: RefreshFamilyRow): Statement {
  return {
    sql: `insert into refresh_families (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)`,
    params: [
      ...[family.lookupHash, family.tokenHash, family.familyId, family.clientId, family.scope],
      ...[family.sid, family.jkt, family.createdAt, family.lastUsedAt, family.tokensEndAt, family.expiresAt],
      ...acceptedValues(family.accepted),
    ],
  };
}

/** Selects the family with this lookup key. */
export function familyByLookup(lookupHash: Bytes32, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from refresh_families where lookup_hash = $1 and expires_at > $2`,
    params: [lookupHash, now],
  };
}

/** Selects one page of the families of a client, the latest first. */
export function familyPage(
  clientId: string,
  limit: number,
  now: number,
  after: RefreshFamilyPlace | undefined,
): Statement {
  return {
    sql: `select ${COLUMNS} from refresh_families where client_id = $1 and expires_at > $2 and (created_at, family_id) < ($3, $4) order by created_at desc, family_id desc limit $5`,
    params: [clientId, now, after?.createdAt ?? Number.MAX_SAFE_INTEGER, after?.familyId ?? '', limit],
  };
}

/** Replaces the token in force; a guard that returns no row if another one is in force or the family has ended. */
export function rotateToken({ lookupHash, from, to, tokensEndAt }: RefreshRotation, now: number): Statement {
  return {
    sql: 'update refresh_families set token_hash = $3, last_used_at = $4, tokens_end_at = case when tokens_end_at > $5 then tokens_end_at else $5 end where lookup_hash = $1 and token_hash = $2 and expires_at > $4 returning 1',
    params: [lookupHash, from, to, now, tokensEndAt],
    isGuard: true,
  };
}

/** Selects one row if this token of the family is in force. */
export function tokenInForce(lookupHash: Bytes32, tokenHash: Bytes32): Statement {
  return {
    sql: 'select 1 from refresh_families where lookup_hash = $1 and token_hash = $2',
    params: [lookupHash, tokenHash],
  };
}

/** Ends a family; the last statement returns a row for it. */
export function endFamily(lookupHash: Bytes32): Statement[] {
  return endFamilies('lookup_hash = $1', [lookupHash]);
}

/** Ends the family with this id, or none; the last statement returns a row for it. */
export function endFamilyById(familyId: string): Statement[] {
  return endFamilies('family_id = $1', [familyId]);
}

/** Ends a family of a client, or none; the last statement returns a row for it. */
export function endFamilyOf(clientId: string, familyId: string): Statement[] {
  return endFamilies('client_id = $1 and family_id = $2', [clientId, familyId]);
}

/** Ends the families of a client. */
export function endFamiliesOf(clientId: string): Statement[] {
  return endFamilies('client_id = $1', [clientId]);
}

/** Ends families of a client, at most `limit`; the last statement returns a row for each. */
export function endSomeFamilies(clientId: string, limit: number): Statement[] {
  return [
    // Marked, since a condition with a limit could find others in the next statement. No other row has this end.
    {
      sql: 'update refresh_families set expires_at = 0 where lookup_hash in (select lookup_hash from refresh_families where client_id = $1 limit $2)',
      params: [clientId, limit],
    },
    ...removeFamilies('expires_at = 0', []),
  ];
}

/** Ends the oldest families of a person at a client, so that `keep` are left. */
export function endOldestFamilies(clientId: string, sub: Bytes32, keep: number): Statement[] {
  return [
    // All of them, so that concurrent sign-ins of the person count one after the other.
    lockFamilies('client_id = $1 and sub = $2', [clientId, sub]),
    ...removeFamilies(
      'client_id = $1 and sub = $2 and lookup_hash not in (select lookup_hash from refresh_families where client_id = $1 and sub = $2 order by created_at desc, lookup_hash limit $3)',
      [clientId, sub, keep],
    ),
  ];
}

/**
 * Makes the statements that end families. The rows are locked first, so that a token that replaces another one
 * meanwhile comes before them, and its access token is covered, or finds no family.
 */
function endFamilies(where: string, params: Statement['params']): Statement[] {
  return [lockFamilies(where, params), ...removeFamilies(where, params)];
}

function removeFamilies(where: string, params: Statement['params']): Statement[] {
  return [
    {
      sql: `insert into revoked_tokens as t (jti, expires_at) select family_id, tokens_end_at from refresh_families where ${where} on conflict (jti) do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at`,
      params,
    },
    { sql: `delete from refresh_families where ${where} returning 1`, params },
  ];
}

function lockFamilies(where: string, params: Statement['params']): Statement {
  return { sql: `update refresh_families set last_used_at = last_used_at where ${where}`, params };
}

/** Parses a row of the statements that look families up. */
export function toRefreshFamily(row: SqlRow): RefreshFamilyRow {
  const accepted = toAcceptedProof(row, 11);
  if (accepted === null)
    throw new Error('expected the accepted proof of a family of refresh tokens, got null');
  return {
    lookupHash: bytesColumn(row[0]),
    tokenHash: bytesColumn(row[1]),
    familyId: textColumn(row[2]),
    clientId: textColumn(row[3]),
    scope: textColumn(row[4]),
    sid: optionalTextColumn(row[5]),
    jkt: optionalTextColumn(row[6]),
    createdAt: integerColumn(row[7]),
    lastUsedAt: integerColumn(row[8]),
    tokensEndAt: integerColumn(row[9]),
    expiresAt: integerColumn(row[10]),
    accepted,
  };
}
