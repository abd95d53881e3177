import { ServiceError } from '../../errors/service-error.ts';
import { isoTime } from '../../text.ts';
import type { AuditWriter } from '../audit/audit-log.ts';
import { bytes, columns, integer, named, optional, present, type RowOf, selected, text } from '../columns.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { guard, point, scan, write } from '../sql.ts';
import { allOrNothing, refusalOf, type Step } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';

/** Most live secrets of a client (spec/sign-in.md#client-secrets). */
const MAX_SECRETS = 2;

const STORED_SECRET = columns({
  appId: text,
  secretId: text,
  /** HMAC-SHA256 under the server's key. */
  hash: bytes,
  developmentAt: optional(integer),
  createdAt: integer,
  /** Null if it does not expire. */
  expiresAt: optional(integer),
});
const { developmentAt: _, ...SECRET_MEMBERS } = STORED_SECRET.members;
const SECRET = columns({
  ...SECRET_MEMBERS,
  /** Made by the development profile. */
  isDevelopment: named('development_at', present(integer)),
  /** Id of the key it is hashed under; null for a secret of an earlier release that did not record it. */
  keyId: selected('k.key_id', optional(text)),
});
/** A live secret of a client, without its value. */
export type ClientSecretRow = RowOf<typeof SECRET>;

/** Replacement of a secret's hash by one under another key. */
export interface SecretRehash {
  readonly appId: string;
  readonly secretId: string;
  readonly from: Bytes32;
  readonly to: Bytes32;
  /** The key of `to`. */
  readonly keyId: string;
}

const SECRET_COUNT = columns({
  keyId: selected('k.key_id', optional(text)),
  count: selected('count(*)', integer),
});
/** Number of secrets hashed under a key; `keyId` is null for those whose key is not recorded. */
export type SecretCount = RowOf<typeof SECRET_COUNT>;
const CLIENT = columns({ appId: text });

const SECRETS_WITH_KEYS =
  'client_secrets s left join client_secret_keys k on k.app_id = s.app_id and k.secret_id = s.secret_id';
/** A row of `client_secrets` as `s` that has not ended at `$2`. */
const IS_LIVE = '(s.expires_at is null or s.expires_at > $2)';

const liveSecrets = point(
  SECRET,
  `select ${SECRET.list('s')} from ${SECRETS_WITH_KEYS} where s.app_id = $1 and ${IS_LIVE} order by s.created_at, s.secret_id`,
);
/** Serializes transactions on one app; fails if there is none. */
const lockApp = guard('update apps set updated_at = updated_at where app_id = $1 returning 1');
/** Fails if a client has as many live secrets as it may. */
const hasRoomForSecret = guard(
  'select 1 from (select count(*) as live from client_secrets where app_id = $1 and (expires_at is null or expires_at > $2)) as secrets where live < $3',
);
/** Leaves the end of a secret that ends earlier. */
const endSecrets = write(
  'update client_secrets set expires_at = $2 where app_id = $1 and (expires_at is null or expires_at > $2)',
);
const addSecretRow = write(
  `insert into client_secrets (${STORED_SECRET.list()}) values (${STORED_SECRET.slots()})`,
);
const putSecretKey = write(
  'insert into client_secret_keys (app_id, secret_id, key_id) values ($1,$2,$3) on conflict (app_id, secret_id) do update set key_id = excluded.key_id',
);
/** Fails if no live secret has the hash `$3`. */
const replaceSecretHash = guard(
  'update client_secrets set hash = $4 where app_id = $1 and secret_id = $2 and hash = $3 and (expires_at is null or expires_at > $5) returning 1',
);
const countSecretsByKey = scan(
  SECRET_COUNT,
  `select ${SECRET_COUNT.list()} from ${SECRETS_WITH_KEYS} where (s.expires_at is null or s.expires_at > $1) group by k.key_id`,
);
const clientsWithOtherKey = scan(
  CLIENT,
  `select distinct ${CLIENT.list('s')} from ${SECRETS_WITH_KEYS} where (k.key_id is null or k.key_id <> $1) and ${IS_LIVE} order by s.app_id limit $3`,
);
/** Fails if there is no secret with this id. */
const deleteSecret = guard('delete from client_secrets where app_id = $1 and secret_id = $2 returning 1');
const deleteSecretKey = write('delete from client_secret_keys where app_id = $1 and secret_id = $2');

/** Adds a secret and, if known, the key it was hashed under. */
export function insertSecret(secret: ClientSecretRow): Statement[] {
  const { appId, secretId, isDevelopment, createdAt, keyId } = secret;
  const developmentAt = isDevelopment ? createdAt : null;
  const insert = addSecretRow(...STORED_SECRET.values({ ...secret, developmentAt }));
  return keyId === null ? [insert] : [insert, putSecretKey(appId, secretId, keyId)];
}

/** Secrets of clients. Every change but that of a hash is recorded in the audit log. */
export type ClientSecretStore = ReturnType<typeof createClientSecretStore>;

/** Creates the store of secrets over a driver. */
export function createClientSecretStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Lists live secrets, the oldest first. */
    listSecrets: (appId: string, now: number): Promise<ClientSecretRow[]> =>
      driver.read(liveSecrets(appId, now)),
    /**
     * Adds a secret and sets an end to the client's other one, in one transaction.
     *
     * @param endOfOthers - Milliseconds since the epoch; a secret that ends earlier keeps its end.
     * @returns False if the client already has two live secrets; nothing is then written.
     * @throws ServiceError `app.unknown`
     */
    async addSecret(secret: ClientSecretRow, endOfOthers: number, now: number): Promise<boolean> {
      const { appId, secretId } = secret;
      const steps: readonly Step<'unknown' | 'full'>[] = [
        [lockApp(appId), 'unknown'],
        [hasRoomForSecret(appId, now, MAX_SECRETS), 'full'],
        [endSecrets(appId, endOfOthers)],
        ...insertSecret(secret).map((statement): Step<'unknown' | 'full'> => [statement]),
      ];
      const after = { secret_id: secretId, others_end_at: isoTime(endOfOthers) };
      const outcome = await audit.write(
        steps.map(([statement]) => statement),
        { action: 'app.secret_added', target: appId, after },
      );
      if (!outcome.ok && refusalOf(steps, outcome.guard) === 'unknown') throw unknownApp(appId);
      return outcome.ok;
    },
    /** Removes a live secret; false if there is none with this id. */
    async removeSecret(appId: string, secretId: string): Promise<boolean> {
      const change = { action: 'app.secret_removed', target: appId, before: { secret_id: secretId } };
      const statements = [deleteSecret(appId, secretId), deleteSecretKey(appId, secretId)];
      return (await audit.write(statements, change)).ok;
    },
    /**
     * Replaces the hash of a secret by one under another key and records that key.
     *
     * @returns False, with nothing written, if the secret has expired, was removed or has another hash.
     */
    rehashSecret({ appId, secretId, from, to, keyId }: SecretRehash, now: number): Promise<boolean> {
      const replace = replaceSecretHash(appId, secretId, from, to, now);
      return allOrNothing(driver, [replace, putSecretKey(appId, secretId, keyId)]);
    },
    /** Counts live secrets by the key they are hashed under. */
    countSecrets: (now: number): Promise<SecretCount[]> => driver.scan(countSecretsByKey(now)),
    /** Lists the ids, in order, of clients with a live secret that is not known to be hashed under this key. */
    clientsWithOtherKey: async (keyId: string, now: number, limit: number): Promise<string[]> =>
      (await driver.scan(clientsWithOtherKey(keyId, now, limit))).map(({ appId }) => appId),
  };
}

/** Returns the error for an app that is not there. */
export function unknownApp(appId: string): ServiceError {
  return new ServiceError('app.unknown', `no app ${appId}`);
}
