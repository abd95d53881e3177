import { ServiceError } from '../../errors/index.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import type { AppRow, AppStore } from '../model/store.ts';
import {
  allApps,
  appByAppId,
  appByRpId,
  deleteApp,
  insertApp,
  isRpIdFree,
  lockApp,
  toAppRow,
  updateApp,
} from '../statements/apps.ts';
import {
  clientsWithOtherKey,
  countSecretsByKey,
  deleteClient,
  deleteSecret,
  deleteSecretKey,
  endSecrets,
  hasRoomForSecret,
  insertSecret,
  liveSecrets,
  logoOf,
  putClient,
  putLogo,
  putSecretKey,
  replaceSecretHash,
  toClientSecretRow,
  toLogo,
  toSecretCount,
} from '../statements/clients.ts';
import { textColumn } from '../statements/columns.ts';
import { allOrNothing, guarded, type Step, writeAll } from './guarded.ts';

/** Creates the app registry over a driver. */
export function createAppStore(driver: Driver): AppStore {
  const find = async (statement: Statement): Promise<AppRow | undefined> => {
    const [row] = await driver.read(statement);
    return row === undefined ? undefined : toAppRow(row);
  };
  return {
    findByAppId: (appId) => find(appByAppId(appId)),
    findByRpId: (rpId) => find(appByRpId(rpId)),
    list: async () => (await driver.read(allApps())).map(toAppRow),
    create: async (app, secret) => {
      const statements = [insertApp(app), putClient(app.appId, app.client)];
      if (secret !== undefined) statements.push(...insertSecret(secret));
      if (!(await allOrNothing(driver, statements))) {
        throw new ServiceError('app.exists', `app_id ${app.appId} or rp_id ${app.rpId} is taken`);
      }
    },
    update: async (appId, { client, ...change }, updatedAt) => {
      const guards = change.rpId === undefined ? [] : [isRpIdFree(change.rpId, appId)];
      const statements = [...guards, updateApp(appId, change, updatedAt)];
      if (client !== undefined) statements.push(putClient(appId, client));
      statements.push(appByAppId(appId));
      const outcome = await driver.write(statements);
      if (!outcome.ok && outcome.guard < guards.length) {
        throw new ServiceError('app.rp_id_taken', `another app has the rp_id ${change.rpId}`);
      }
      const row = outcome.ok ? outcome.results.at(-1)?.[0] : undefined;
      if (row === undefined) throw unknownApp(appId);
      return toAppRow(row);
    },
    remove: async (appId) => {
      if (!(await allOrNothing(driver, [deleteApp(appId), ...deleteClient(appId)]))) throw unknownApp(appId);
    },
    listSecrets: async (appId, now) => (await driver.read(liveSecrets(appId, now))).map(toClientSecretRow),
    addSecret: async (secret, endOfOthers, now) => {
      const { appId } = secret;
      const outcome = await guarded(
        driver,
        [
          [lockApp(appId), 'unknown'],
          [hasRoomForSecret(appId, now), 'full'],
          [endSecrets(appId, endOfOthers)],
          ...insertSecret(secret).map((statement): Step<'unknown' | 'full'> => [statement]),
        ],
        'added',
      );
      if (outcome === 'unknown') throw unknownApp(appId);
      return outcome === 'added';
    },
    removeSecret: async (appId, secretId) => {
      const [removed = []] = await writeAll(driver, [
        deleteSecret(appId, secretId),
        deleteSecretKey(appId, secretId),
      ]);
      return removed.length > 0;
    },
    rehashSecret: (change, now) => {
      const { appId, secretId, keyId } = change;
      return allOrNothing(driver, [replaceSecretHash(change, now), putSecretKey(appId, secretId, keyId)]);
    },
    countSecrets: async (now) => (await driver.read(countSecretsByKey(now))).map(toSecretCount),
    clientsWithOtherKey: async (keyId, now, limit) =>
      (await driver.read(clientsWithOtherKey(keyId, now, limit))).map((row) => textColumn(row[0])),
    logo: async (appId) => {
      const [row] = await driver.read(logoOf(appId));
      return row === undefined ? undefined : toLogo(row);
    },
    setLogo: async (appId, logo, updatedAt) => {
      const statements = [updateApp(appId, {}, updatedAt), putLogo(appId, logo)];
      if (!(await allOrNothing(driver, statements))) throw unknownApp(appId);
    },
  };
}

function unknownApp(appId: string): ServiceError {
  return new ServiceError('app.unknown', `no app ${appId}`);
}
