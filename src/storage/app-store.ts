import { ServiceError } from '../errors/index.ts';
import type { Driver, SqlRow, Statement } from './drivers/driver.ts';
import {
  allApps,
  appByAppId,
  appByRpId,
  deleteApp,
  insertApp,
  toAppRow,
  updateApp,
} from './statements/apps.ts';
import type { AppRow, AppStore } from './store.ts';

/** The registry of apps over a driver. */
export function createAppStore(driver: Driver): AppStore {
  const find = async (statement: Statement): Promise<AppRow | undefined> => {
    const [row] = await driver.read(statement);
    return row === undefined ? undefined : toAppRow(row);
  };
  return {
    findByAppId: (appId) => find(appByAppId(appId)),
    findByRpId: (rpId) => find(appByRpId(rpId)),
    list: async () => (await driver.read(allApps())).map(toAppRow),
    create: async (app) => {
      const row = await writeOne(driver, insertApp(app));
      if (row === undefined) {
        throw new ServiceError('app.exists', `app_id ${app.appId} or rp_id ${app.rpId} is taken`);
      }
    },
    update: async (appId, change, updatedAt) => {
      const row = await writeOne(driver, updateApp(appId, change, updatedAt));
      if (row === undefined) throw unknownApp(appId);
      return toAppRow(row);
    },
    remove: async (appId) => {
      const row = await writeOne(driver, deleteApp(appId));
      if (row === undefined) throw unknownApp(appId);
    },
  };
}

async function writeOne(driver: Driver, statement: Statement): Promise<SqlRow | undefined> {
  const [rows = []] = await driver.write([statement]);
  return rows[0];
}

function unknownApp(appId: string): ServiceError {
  return new ServiceError('app.unknown', `no app ${appId}`);
}
