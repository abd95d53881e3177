import { ServiceError } from '../../errors/index.ts';
import { isoTime } from '../../text.ts';
import type { AuditWriter } from '../audit/audit-writer.ts';
import type { Driver } from '../drivers/driver.ts';
import type { AdminAnswerStore, AdminTokenStore } from '../model/store-admin.ts';
import {
  adminAnswer,
  adminTokenByHash,
  adminTokens,
  deleteAdminToken,
  insertAdminToken,
  toAdminAnswerRow,
  toAdminTokenRow,
} from '../statements/admin.ts';

/** Creates the store of the tokens of the admin API over a driver. */
export function createAdminTokenStore(driver: Driver, audit: AuditWriter): AdminTokenStore {
  return {
    add: async (row) => {
      const { tokenId, name, scope, expiresAt } = row;
      const after = { name, scope, expires_at: expiresAt === null ? null : isoTime(expiresAt) };
      const change = { action: 'admin_token.added', target: tokenId, after };
      if (!(await audit.write([insertAdminToken(row)], change)).ok) {
        throw new ServiceError('store.failed', `the id ${tokenId} is taken`);
      }
    },
    find: async (hash, now) => {
      const [row] = await driver.read(adminTokenByHash(hash, now));
      return row === undefined ? undefined : toAdminTokenRow(row);
    },
    list: async (now) => (await driver.read(adminTokens(now))).map(toAdminTokenRow),
    remove: async (tokenId) => {
      const change = { action: 'admin_token.revoked', target: tokenId };
      return (await audit.write([deleteAdminToken(tokenId)], change)).ok;
    },
  };
}

/** Creates the store of answers of the admin API over a driver. */
export function createAdminAnswerStore(driver: Driver): AdminAnswerStore {
  return {
    find: async (keyHash, now) => {
      const [row] = await driver.read(adminAnswer(keyHash, now));
      return row === undefined ? undefined : toAdminAnswerRow(row);
    },
  };
}
