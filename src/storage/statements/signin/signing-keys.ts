import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { KeyUse, SigningKeyRow, SigningKeyState } from '../../model/store-signin.ts';
import { integerColumn, optionalIntegerColumn, textColumn, wordColumn } from '../columns.ts';

const COLUMNS =
  'kid, key_use, state, public_jwk, private_jwk, development_at, created_at, activated_at, retired_at, expires_at';
const USES: readonly KeyUse[] = ['signin'];
const STATES: readonly SigningKeyState[] = ['next', 'active', 'retired'];

/** Selects keys of a use that have not ended: active, next, then retired ones, the latest first. */
export function publishedKeys(use: KeyUse, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from signing_keys where key_use = $1 and (expires_at is null or expires_at > $2) order by case state when 'active' then 0 when 'next' then 1 else 2 end, retired_at desc, kid`,
    params: [use, now],
  };
}

/** Adds a key; a guard that returns no row if its kid is taken, or its state is active or next and taken. */
export function insertKey(key: SigningKeyRow): Statement {
  return {
    sql: `insert into signing_keys (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) on conflict do nothing returning 1`,
    params: [
      key.kid,
      key.use,
      key.state,
      key.publicJwk,
      key.privateJwk,
      key.isDevelopment ? key.createdAt : null,
      key.createdAt,
      key.activatedAt,
      key.retiredAt,
      key.expiresAt,
    ],
    isGuard: true,
  };
}

/** active → retired until `expiresAt`; a guard that returns no row if the key is not active. */
export function retireKey(use: KeyUse, kid: string, at: number, expiresAt: number): Statement {
  return {
    sql: "update signing_keys set state = 'retired', retired_at = $3, expires_at = $4 where kid = $1 and key_use = $2 and state = 'active' returning 1",
    params: [kid, use, at, expiresAt],
    isGuard: true,
  };
}

/** next → active; a guard that returns no row if the key is not next. */
export function activateKey(use: KeyUse, kid: string, at: number): Statement {
  return {
    sql: "update signing_keys set state = 'active', activated_at = $3 where kid = $1 and key_use = $2 and state = 'next' returning 1",
    params: [kid, use, at],
    isGuard: true,
  };
}

/** Deletes a key; a guard that returns no row if it is not in this state. */
export function deleteKey(kid: string, state: SigningKeyState): Statement {
  return {
    sql: 'delete from signing_keys where kid = $1 and state = $2 returning 1',
    params: [kid, state],
    isGuard: true,
  };
}

/** Replaces a private part; returns no row if it is not `from`. */
export function resealKey(kid: string, from: string, to: string): Statement {
  return {
    sql: 'update signing_keys set private_jwk = $3 where kid = $1 and private_jwk = $2 returning 1',
    params: [kid, from, to],
  };
}

/** Parses a row of `publishedKeys`. */
export function toSigningKeyRow(row: SqlRow): SigningKeyRow {
  const privateJwk = textColumn(row[4]);
  return {
    kid: textColumn(row[0]),
    use: wordColumn(USES, row[1]),
    state: wordColumn(STATES, row[2]),
    publicJwk: textColumn(row[3]),
    privateJwk,
    // A compact JWE consists of base64url and dots.
    isSealed: !privateJwk.startsWith('{'),
    isDevelopment: optionalIntegerColumn(row[5]) !== null,
    createdAt: integerColumn(row[6]),
    activatedAt: optionalIntegerColumn(row[7]),
    retiredAt: optionalIntegerColumn(row[8]),
    expiresAt: optionalIntegerColumn(row[9]),
  };
}
