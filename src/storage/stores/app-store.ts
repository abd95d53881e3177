import { completePolicy } from '../../config/apps/policy.ts';
import { ServiceError } from '../../errors/index.ts';
import { isoTime } from '../../text.ts';
import { appDifference, appValues } from '../audit/app-changes.ts';
import type { AuditWriter } from '../audit/audit-writer.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import type { AppRow, AppRowChange, AppStore } from '../model/store.ts';
import {
  allApps,
  appByAppId,
  appByRpId,
  appPage,
  deleteApp,
  insertApp,
  isRpIdFree,
  lockApp,
  putPolicy,
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
import { endFamiliesOf } from '../statements/signin/refresh-families.ts';
import { endClientSessions } from '../statements/signin/sessions.ts';
import { allOrNothing, refusalOf, type Step } from './guarded.ts';
import { endFamiliesInBatches, endSessionsInBatches } from './signin/end-grants.ts';

/** Each lost race is a change by another process: this many in a row indicate a fault. */
const MAX_ROUNDS = 100;

/** Grants of an app that a change of it ends. */
interface EndedGrants {
  readonly sessions: boolean;
  /** Families of refresh tokens. */
  readonly families: boolean;
}

const ALL_GRANTS: EndedGrants = { sessions: true, families: true };

/** Creates the app registry over a driver. */
export function createAppStore(driver: Driver, audit: AuditWriter): AppStore {
  const find = async (statement: Statement): Promise<AppRow | undefined> => {
    const [row] = await driver.read(statement);
    return row === undefined ? undefined : toAppRow(row);
  };
  /**
   * Reads an app and runs a change of it, again if another change came between.
   *
   * @param change - Returns undefined if the app was changed since it was read.
   */
  const changing = async <T>(
    appId: string,
    version: number | undefined,
    change: (app: AppRow) => Promise<T | undefined>,
  ): Promise<T> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const app = await find(appByAppId(appId));
      if (app === undefined) throw unknownApp(appId);
      if (version !== undefined && app.updatedAt !== version) throw new ServiceError('app.changed');
      const result = await change(app);
      if (result !== undefined) return result;
    }
    throw new ServiceError('store.unreachable', `other processes keep changing the app ${appId}`);
  };
  const isFree = async (rpId: string, appId: string): Promise<boolean> =>
    (await driver.read(isRpIdFree(rpId, appId))).length > 0;
  const endInBatches = async (appId: string, { sessions, families }: EndedGrants): Promise<void> => {
    if (sessions) await endSessionsInBatches(driver, appId);
    if (families) await endFamiliesInBatches(driver, appId);
  };
  return {
    findByAppId: (appId) => find(appByAppId(appId)),
    findByRpId: (rpId) => find(appByRpId(rpId)),
    list: async () => (await driver.read(allApps())).map(toAppRow),
    page: async (limit, search = '', after) =>
      (await driver.scan(appPage(limit, search, after))).map(toAppRow),
    create: async (app, secret, logo) => {
      const { appId } = app;
      const statements = [insertApp(app), putClient(appId, app.client), putPolicy(appId, app.policy)];
      if (secret !== undefined) statements.push(...insertSecret(secret));
      if (logo !== undefined) statements.push(putLogo(appId, logo));
      const after = { ...appValues(app), secret_id: secret?.secretId };
      const { ok } = await audit.write(statements, { action: 'app.created', target: appId, after });
      if (!ok) throw new ServiceError('app.exists', `app_id ${appId} or rp_id ${app.rpId} is taken`);
    },
    update: (appId, change, updatedAt, version) =>
      changing(appId, version, async (app) => {
        const { client, logo, policy: given, ...members } = change;
        const policy = given === undefined ? undefined : completePolicy(given, appId, app.isDevelopment);
        const ends = endedGrants(app, change);
        if (members.rpId !== undefined && !(await isFree(members.rpId, appId))) throw rpIdTaken(members.rpId);
        await endInBatches(appId, ends);
        const guards = members.rpId === undefined ? [] : [isRpIdFree(members.rpId, appId)];
        const at = Math.max(updatedAt, app.updatedAt + 1);
        const statements = [...guards, updateApp(app, members, at)];
        if (client !== undefined) statements.push(putClient(appId, client));
        if (policy !== undefined) statements.push(putPolicy(appId, policy));
        if (logo !== undefined) statements.push(putLogo(appId, logo ?? undefined));
        statements.push(...endStatements(appId, ends));
        const after = { ...app, ...members, client: client ?? app.client, policy: policy ?? app.policy };
        const difference = appDifference(app, after, logo);
        const outcome = await audit.write([...statements, appByAppId(appId)], {
          ...{ action: 'app.updated', target: appId },
          ...difference,
        });
        if (members.rpId !== undefined && !outcome.ok && outcome.guard < guards.length) {
          throw rpIdTaken(members.rpId);
        }
        const row = outcome.ok ? outcome.results.at(-1)?.[0] : undefined;
        return row === undefined ? undefined : toAppRow(row);
      }),
    remove: async (appId, version) => {
      await changing(appId, version, async (app) => {
        await endInBatches(appId, ALL_GRANTS);
        const statements = [deleteApp(app), ...deleteClient(appId), ...endStatements(appId, ALL_GRANTS)];
        const change = { action: 'app.removed', target: appId, before: appValues(app) };
        return (await audit.write(statements, change)).ok || undefined;
      });
    },
    listSecrets: async (appId, now) => (await driver.read(liveSecrets(appId, now))).map(toClientSecretRow),
    addSecret: async (secret, endOfOthers, now) => {
      const { appId, secretId } = secret;
      const steps: readonly Step<'unknown' | 'full'>[] = [
        [lockApp(appId), 'unknown'],
        [hasRoomForSecret(appId, now), 'full'],
        [endSecrets(appId, endOfOthers)],
        ...insertSecret(secret).map((statement): Step<'unknown' | 'full'> => [statement]),
      ];
      const after = { secret_id: secretId, others_end_at: isoTime(endOfOthers) };
      const outcome = await audit.write(
        steps.map(([statement]) => statement),
        { action: 'app.secret_added', target: appId, after },
      );
      if (outcome.ok) return true;
      if (refusalOf(steps, outcome.guard) === 'unknown') throw unknownApp(appId);
      return false;
    },
    removeSecret: async (appId, secretId) => {
      const change = { action: 'app.secret_removed', target: appId, before: { secret_id: secretId } };
      const statements = [deleteSecret(appId, secretId), deleteSecretKey(appId, secretId)];
      return (await audit.write(statements, change)).ok;
    },
    rehashSecret: (change, now) => {
      const { appId, secretId, keyId } = change;
      return allOrNothing(driver, [replaceSecretHash(change, now), putSecretKey(appId, secretId, keyId)]);
    },
    countSecrets: async (now) => (await driver.scan(countSecretsByKey(now))).map(toSecretCount),
    clientsWithOtherKey: async (keyId, now, limit) =>
      (await driver.scan(clientsWithOtherKey(keyId, now, limit))).map((row) => textColumn(row[0])),
    logo: async (appId) => {
      const [row] = await driver.read(logoOf(appId));
      return row === undefined ? undefined : toLogo(row);
    },
  };
}

/**
 * Which grants of an app a change ends. What a person agreed to was for the client as it was. Switching refresh tokens or
 * the app on ends the families, too: a process that had not yet learnt that they were off may have begun some.
 */
function endedGrants(app: AppRow, { status, client }: AppRowChange): EndedGrants {
  const isSwitched = client !== undefined && client.refreshTokens !== app.client.refreshTokens;
  return {
    sessions: client !== undefined || status === 'disabled',
    families: isSwitched || (status !== undefined && status !== app.status),
  };
}

function endStatements(appId: string, { sessions, families }: EndedGrants): Statement[] {
  return [...(sessions ? [endClientSessions(appId)] : []), ...(families ? endFamiliesOf(appId) : [])];
}

function rpIdTaken(rpId: string): ServiceError {
  return new ServiceError('app.rp_id_taken', `another app has the rp_id ${rpId}`, { path: 'rp_id' });
}

function unknownApp(appId: string): ServiceError {
  return new ServiceError('app.unknown', `no app ${appId}`);
}
