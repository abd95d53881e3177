import { ServiceError } from '../errors/service-error.ts';
import { isoTime } from '../text.ts';
import type { AuditWriter } from './audit/audit-log.ts';
import { bytes, columns, integer, optional, type RowOf, text, word } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { guard, list, point } from './sql.ts';
import type { Bytes32 } from './values.ts';

const TOKEN = columns({
  tokenId: text,
  /** SHA-256 of the token. */
  hash: bytes,
  name: text,
  scope: word(['read', 'write']),
  createdAt: integer,
  /** Null if it does not expire. */
  expiresAt: optional(integer),
});
/** A token of the admin API. Times are milliseconds since the epoch. */
export type AdminTokenRow = RowOf<typeof TOKEN>;

/** Fails if the id is taken. */
const insertToken = guard(
  `insert into admin_tokens (${TOKEN.list()}) values (${TOKEN.slots()}) on conflict do nothing returning 1`,
);
const liveTokenByHash = point(
  TOKEN,
  `select ${TOKEN.list()} from admin_tokens where hash = $1 and (expires_at is null or expires_at > $2)`,
);
const liveTokens = list(
  TOKEN,
  `select ${TOKEN.list()} from admin_tokens where expires_at is null or expires_at > $1 order by created_at, token_id`,
);
/** Fails if there is no token with this id. */
const deleteToken = guard('delete from admin_tokens where token_id = $1 returning 1');

/** Tokens of the admin API. */
export type AdminTokenStore = ReturnType<typeof createAdminTokenStore>;

/** Creates the store of the tokens of the admin API over a driver. */
export function createAdminTokenStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Adds a token. */
    async add(row: AdminTokenRow): Promise<void> {
      const { tokenId, name, scope, expiresAt } = row;
      const after = { name, scope, expires_at: expiresAt === null ? null : isoTime(expiresAt) };
      const change = { action: 'admin_token.added', target: tokenId, after };
      if (!(await audit.write([insertToken(...TOKEN.values(row))], change)).ok) {
        throw new ServiceError('store.failed', `the id ${tokenId} is taken`);
      }
    },
    /** Looks up a live token by its hash. */
    find: async (hash: Bytes32, now: number): Promise<AdminTokenRow | undefined> =>
      (await driver.read(liveTokenByHash(hash, now)))[0],
    /** Lists the live tokens, the oldest first. */
    list: (now: number): Promise<AdminTokenRow[]> => driver.scan(liveTokens(now)),
    /** Removes a token; false if there is none with this id. */
    async remove(tokenId: string): Promise<boolean> {
      const change = { action: 'admin_token.revoked', target: tokenId };
      return (await audit.write([deleteToken(tokenId)], change)).ok;
    },
  };
}
