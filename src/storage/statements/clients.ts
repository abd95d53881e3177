import { DEFAULT_CLIENT } from '../../config/apps/client-of.ts';
import type { SqlRow, Statement } from '../drivers/driver.ts';
import type {
  ClientMetadata,
  ClientSecretRow,
  Logo,
  SecretCount,
  SecretRehash,
} from '../model/store-signin.ts';
import {
  bytesColumn,
  integerColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from './columns.ts';

/** Most live secrets of a client (spec/sign-in.md#client-secrets). */
const MAX_SECRETS = 2;
const SECRETS_WITH_KEYS =
  'client_secrets s left join client_secret_keys k on k.app_id = s.app_id and k.secret_id = s.secret_id';
/** A row of `client_secrets` as `s` that has not ended at `$2`. */
const LIVE = '(s.expires_at is null or s.expires_at > $2)';
const LOGO_TYPES: readonly Logo['contentType'][] = ['image/png', 'image/jpeg', 'image/webp'];

/** Writes the client metadata of an app, replacing those stored. */
export function putClient(appId: string, client: ClientMetadata): Statement {
  return {
    sql: 'insert into clients (app_id, metadata) values ($1,$2) on conflict (app_id) do update set metadata = excluded.metadata',
    params: [appId, JSON.stringify(client)],
  };
}

/** Removes what other tables hold of an app: metadata, secrets, logo, policy. */
export function deleteClient(appId: string): Statement[] {
  return ['clients', 'client_secrets', 'client_secret_keys', 'client_logos', 'app_policies'].map((table) => ({
    sql: `delete from ${table} where app_id = $1`,
    params: [appId],
  }));
}

/** Parses the column `metadata`; null for an app without a row. */
export function toClientMetadata(metadata: string | null): ClientMetadata {
  if (metadata === null) return DEFAULT_CLIENT;
  // Only `putClient` writes the column. Rows of an earlier release lack members that were added later.
  return { ...DEFAULT_CLIENT, ...(JSON.parse(metadata) as Partial<ClientMetadata>) };
}

/** Selects the live secrets of a client, the oldest first. */
export function liveSecrets(appId: string, now: number): Statement {
  return {
    sql: `select s.app_id, s.secret_id, s.hash, s.development_at, s.created_at, s.expires_at, k.key_id from ${SECRETS_WITH_KEYS} where s.app_id = $1 and ${LIVE} order by s.created_at, s.secret_id`,
    params: [appId, now],
  };
}

/** A guard that returns no row if a client has as many live secrets as it may. */
export function hasRoomForSecret(appId: string, now: number): Statement {
  return {
    sql: 'select 1 from (select count(*) as live from client_secrets where app_id = $1 and (expires_at is null or expires_at > $2)) as secrets where live < $3',
    params: [appId, now, MAX_SECRETS],
    isGuard: true,
  };
}

/** Sets the end of a client's secrets; a secret that ends earlier keeps its end. */
export function endSecrets(appId: string, end: number): Statement {
  return {
    sql: 'update client_secrets set expires_at = $2 where app_id = $1 and (expires_at is null or expires_at > $2)',
    params: [appId, end],
  };
}

/** Adds a secret and, if known, the key it was hashed under. */
export function insertSecret(secret: ClientSecretRow): Statement[] {
  const insert: Statement = {
    sql: 'insert into client_secrets (app_id, secret_id, hash, development_at, created_at, expires_at) values ($1,$2,$3,$4,$5,$6)',
    params: [
      secret.appId,
      secret.secretId,
      secret.hash,
      secret.isDevelopment ? secret.createdAt : null,
      secret.createdAt,
      secret.expiresAt,
    ],
  };
  return secret.keyId === null
    ? [insert]
    : [insert, putSecretKey(secret.appId, secret.secretId, secret.keyId)];
}

/** Records which key a secret was hashed under, replacing an earlier record. */
export function putSecretKey(appId: string, secretId: string, keyId: string): Statement {
  return {
    sql: 'insert into client_secret_keys (app_id, secret_id, key_id) values ($1,$2,$3) on conflict (app_id, secret_id) do update set key_id = excluded.key_id',
    params: [appId, secretId, keyId],
  };
}

/** Replaces the hash of a live secret; a guard that returns no row if none has the hash `from`. */
export function replaceSecretHash({ appId, secretId, from, to }: SecretRehash, now: number): Statement {
  return {
    sql: 'update client_secrets set hash = $4 where app_id = $1 and secret_id = $2 and hash = $3 and (expires_at is null or expires_at > $5) returning 1',
    params: [appId, secretId, from, to, now],
    isGuard: true,
  };
}

/** Counts the live secrets by the id of their key, null for those whose key is not recorded. */
export function countSecretsByKey(now: number): Statement {
  return {
    sql: `select k.key_id, count(*) from ${SECRETS_WITH_KEYS} where (s.expires_at is null or s.expires_at > $1) group by k.key_id`,
    params: [now],
  };
}

/** Parses a row of `countSecretsByKey`. */
export function toSecretCount(row: SqlRow): SecretCount {
  return { keyId: optionalTextColumn(row[0]), count: integerColumn(row[1]) };
}

/** Selects the ids, in order, of clients with a live secret that is not known to be hashed under this key. */
export function clientsWithOtherKey(keyId: string, now: number, limit: number): Statement {
  return {
    sql: `select distinct s.app_id from ${SECRETS_WITH_KEYS} where (k.key_id is null or k.key_id <> $1) and ${LIVE} order by s.app_id limit $3`,
    params: [keyId, now, limit],
  };
}

/** Removes a secret; a guard that returns no row if there is none. */
export function deleteSecret(appId: string, secretId: string): Statement {
  return {
    sql: 'delete from client_secrets where app_id = $1 and secret_id = $2 returning 1',
    params: [appId, secretId],
    isGuard: true,
  };
}

/** Removes the record of a secret's key. */
export function deleteSecretKey(appId: string, secretId: string): Statement {
  return {
    sql: 'delete from client_secret_keys where app_id = $1 and secret_id = $2',
    params: [appId, secretId],
  };
}

/** Parses a row of `liveSecrets`. */
export function toClientSecretRow(row: SqlRow): ClientSecretRow {
  return {
    appId: textColumn(row[0]),
    secretId: textColumn(row[1]),
    hash: bytesColumn(row[2]),
    isDevelopment: optionalIntegerColumn(row[3]) !== null,
    createdAt: integerColumn(row[4]),
    expiresAt: optionalIntegerColumn(row[5]),
    keyId: optionalTextColumn(row[6]),
  };
}

/** Selects the logo of an app. */
export function logoOf(appId: string): Statement {
  return { sql: 'select content_type, bytes from client_logos where app_id = $1', params: [appId] };
}

/** Writes a logo, replacing the stored one, or removes it. */
export function putLogo(appId: string, logo: Logo | undefined): Statement {
  if (logo === undefined) return { sql: 'delete from client_logos where app_id = $1', params: [appId] };
  return {
    sql: 'insert into client_logos (app_id, content_type, bytes) values ($1,$2,$3) on conflict (app_id) do update set content_type = excluded.content_type, bytes = excluded.bytes',
    params: [appId, logo.contentType, logo.bytes],
  };
}

/** Parses a row of `logoOf`. */
export function toLogo(row: SqlRow): Logo {
  return { contentType: wordColumn(LOGO_TYPES, row[0]), bytes: bytesColumn(row[1]) };
}
