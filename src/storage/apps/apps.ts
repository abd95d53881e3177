import { isDeepStrictEqual } from 'node:util';
import { type ClientSettings, DEFAULT_CLIENT, fieldsOfClient } from '../../config/apps/client-of.ts';
import { completePolicy, type PolicyFields, type VerificationPolicy } from '../../config/apps/policy.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AuditedChange, AuditWriter } from '../audit/audit-log.ts';
import {
  bytes,
  columns,
  converted,
  integer,
  json,
  NO_COLUMNS,
  named,
  optional,
  present,
  type RowOf,
  selected,
  text,
  word,
} from '../columns.ts';
import { type Driver, rowsOf, type SqlRow, type Statement } from '../drivers/driver.ts';
import { forgetPeopleInBatches, forgetPeopleOf } from '../signin/people.ts';
import { endFamiliesInBatches, endFamiliesOf } from '../signin/refresh-families.ts';
import { endClientSessions, endSessionsInBatches } from '../signin/sessions.ts';
import { eachOf, guard, list, point, scan, write } from '../sql.ts';
import {
  type ClientSecretRow,
  type ClientSecretStore,
  createClientSecretStore,
  insertSecret,
  unknownApp,
} from './client-secrets.ts';

/** Each lost race is a change by another process: this many in a row indicate a fault. */
const MAX_ROUNDS = 100;

/**
 * Client metadata of an app (spec/sign-in.md#client-fields); an app without redirect URIs only verifies
 * proofs.
 */
export type ClientMetadata = ClientSettings;

const LOGO = columns({ contentType: word(['image/png', 'image/jpeg', 'image/webp']), bytes });
/** A picture of an app. */
export type Logo = RowOf<typeof LOGO>;

const STORED_APP = columns({
  appId: text,
  rpId: text,
  name: text,
  status: word(['active', 'disabled']),
  /** State of the app as a relying party for verification. */
  verification: word(['none', 'pending', 'registered', 'failed', 'deactivated']),
  developmentAt: optional(integer),
  createdAt: integer,
  /** Time of the last change to the app or its logo; also its version. */
  updatedAt: integer,
});
const { developmentAt: _, createdAt, updatedAt, ...APP_MEMBERS } = STORED_APP.members;
const APP = columns({
  ...APP_MEMBERS,
  /** Made by the development profile; production refuses such rows. */
  isDevelopment: named('development_at', present(integer)),
  // Rows of an earlier release lack members that were added later.
  client: selected(
    'c.metadata',
    converted(
      optional(json<Partial<ClientMetadata>>()),
      (stored): ClientMetadata => ({ ...DEFAULT_CLIENT, ...stored }),
      (client) => client,
    ),
  ),
  policy: selected('p.policy', optional(json<PolicyFields>())),
  /** Whether `AppStore.logo` returns a picture. */
  hasLogo: selected('l.app_id', present(text)),
  createdAt,
  updatedAt,
});
type SelectedApp = RowOf<typeof APP>;
/** An app of the registry: a relying party and, with redirect URIs, a client of sign-in. */
export interface AppRow extends Omit<SelectedApp, 'policy'> {
  readonly policy: VerificationPolicy;
}
/** State of an app as a relying party for verification. */
export type VerificationState = AppRow['verification'];

/** Reads an app with its policy; one that an earlier release made has none. */
const APP_WITH_POLICY = {
  toRow(values: SqlRow): AppRow {
    const app = APP.toRow(values);
    return { ...app, policy: completePolicy(app.policy, app.appId, app.isDevelopment) };
  },
};

/** Place of an app in the list. */
export type AppPlace = Pick<AppRow, 'createdAt' | 'appId'>;

/** Members of an app to change; an absent member stays as it is, and a logo of null is removed. */
export type AppRowChange = Partial<
  Pick<AppRow, 'rpId' | 'name' | 'status' | 'verification' | 'client'> & {
    readonly logo: Logo | null;
    /** Replaces the policy as a whole; null restores the default. */
    readonly policy: PolicyFields | null;
  }
>;

const SELECT = `select ${APP.list('a')} from apps a left join clients c on c.app_id = a.app_id left join client_logos l on l.app_id = a.app_id left join app_policies p on p.app_id = a.app_id`;
const appByAppId = point(APP_WITH_POLICY, `${SELECT} where a.app_id = $1`);
const appByRpId = point(APP_WITH_POLICY, `${SELECT} where a.rp_id = $1`);
const allApps = list(APP_WITH_POLICY, `${SELECT} order by a.created_at, a.app_id`);
const appPage = scan(
  APP_WITH_POLICY,
  `${SELECT} where (a.created_at, a.app_id) < ($2, $3) and (lower(a.name) like $1 escape '\\' or a.app_id like $1 escape '\\' or a.rp_id like $1 escape '\\') order by a.created_at desc, a.app_id desc limit $4`,
);
/** Fails if the app_id or the rp_id is taken. */
const insertApp = guard(
  `insert into apps (${STORED_APP.list()}) values (${STORED_APP.slots()}) on conflict do nothing returning 1`,
);
/** Changes the members that are not null; fails if the app is gone or was changed since it was read. */
const updateApp = guard(
  'update apps set rp_id = coalesce(cast($1 as text), rp_id), name = coalesce(cast($2 as text), name), status = coalesce(cast($3 as text), status), verification = coalesce(cast($4 as text), verification), updated_at = $5 where app_id = $6 and updated_at = $7 returning 1',
);
const otherWithRpId = point(NO_COLUMNS, 'select 1 from apps where rp_id = $1 and app_id <> $2');
/** Fails if another app has this rp_id. */
const isRpIdFree = guard('select 1 where not exists (select 1 from apps where rp_id = $1 and app_id <> $2)');
/** Fails as `updateApp`. */
const deleteApp = guard('delete from apps where app_id = $1 and updated_at = $2 returning 1');
/** Statements that remove what other tables hold of an app. */
const deleteRows = eachOf(
  ['clients', 'client_secrets', 'client_secret_keys', 'client_logos', 'app_policies'],
  (table) => write(`delete from ${table} where app_id = $1`),
);
const putClient = write(
  'insert into clients (app_id, metadata) values ($1,$2) on conflict (app_id) do update set metadata = excluded.metadata',
);
const putPolicy = write(
  'insert into app_policies (app_id, policy) values ($1,$2) on conflict (app_id) do update set policy = excluded.policy',
);
const logoOf = point(LOGO, `select ${LOGO.list()} from client_logos where app_id = $1`);
const putLogo = write(
  `insert into client_logos (app_id, ${LOGO.list()}) values ($1,$2,$3) on conflict (app_id) do update set ${LOGO.excluded()}`,
);

/** The app registry, with the secrets of clients. Every change but that of a hash is recorded in the audit log. */
export type AppStore = ReturnType<typeof createRegistry> & ClientSecretStore;

/** Creates the app registry over a driver. */
export function createAppStore(driver: Driver, audit: AuditWriter): AppStore {
  return { ...createRegistry(driver, audit), ...createClientSecretStore(driver, audit) };
}

function createRegistry(driver: Driver, audit: AuditWriter) {
  const find = async (appId: string): Promise<AppRow | undefined> =>
    (await driver.read(appByAppId(appId)))[0];
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
      const app = await find(appId);
      if (app === undefined) throw unknownApp(appId);
      if (version !== undefined && app.updatedAt !== version) throw new ServiceError('app.changed');
      const result = await change(app);
      if (result !== undefined) return result;
    }
    throw new ServiceError('store.unreachable', `other processes keep changing the app ${appId}`);
  };
  const isFree = async (rpId: string, appId: string): Promise<boolean> =>
    (await driver.read(otherWithRpId(rpId, appId))).length === 0;
  const endInBatches = async (appId: string, { sessions, families }: EndedGrants): Promise<void> => {
    if (sessions) await endSessionsInBatches(driver, appId);
    if (families) await endFamiliesInBatches(driver, appId);
  };
  return {
    findByAppId: (appId: string): Promise<AppRow | undefined> => find(appId),
    findByRpId: async (rpId: string): Promise<AppRow | undefined> => (await driver.read(appByRpId(rpId)))[0],
    list: (): Promise<AppRow[]> => driver.scan(allApps()),
    /**
     * Lists one page of apps, the latest first.
     *
     * @param search - Only apps whose id, rp_id or name contains this text in either case.
     * @param after - Only apps after this one, in the order of the list.
     */
    page(limit: number, search: string = '', after?: AppPlace): Promise<AppRow[]> {
      const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
      const { createdAt = Number.MAX_SAFE_INTEGER, appId = '' } = after ?? {};
      return driver.scan(appPage(pattern, createdAt, appId, limit));
    },
    /**
     * Adds an app with its first secret and its logo, if it has them, in one transaction.
     *
     * @throws ServiceError `app.exists`
     */
    async create(app: AppRow, secret?: ClientSecretRow, logo?: Logo): Promise<void> {
      const { appId, isDevelopment, createdAt } = app;
      const statements = [
        insertApp(...STORED_APP.values({ ...app, developmentAt: isDevelopment ? createdAt : null })),
        ...putParts(appId, { client: app.client, policy: app.policy }),
      ];
      if (secret !== undefined) statements.push(...insertSecret(secret));
      statements.push(...putParts(appId, { logo }));
      const after = { ...appValues(app), secret_id: secret?.secretId };
      const { ok } = await audit.write(statements, { action: 'app.created', target: appId, after });
      if (!ok) throw new ServiceError('app.exists', `app_id ${appId} or rp_id ${app.rpId} is taken`);
    },
    /**
     * Changes an app.
     *
     * @param version - The `updatedAt` that the app must have; any if absent.
     * @throws ServiceError `app.unknown`, `app.changed`, `app.rp_id_taken`
     */
    update: (appId: string, change: AppRowChange, updatedAt: number, version?: number): Promise<AppRow> =>
      changing(appId, version, async (app) => {
        const { client, logo, policy: given, ...members } = change;
        const policy = given === undefined ? undefined : completePolicy(given, appId, app.isDevelopment);
        const ends = endedGrants(app, change);
        if (members.rpId !== undefined && !(await isFree(members.rpId, appId))) throw rpIdTaken(members.rpId);
        await endInBatches(appId, ends);
        const guards = members.rpId === undefined ? [] : [isRpIdFree(members.rpId, appId)];
        const at = Math.max(updatedAt, app.updatedAt + 1);
        const { rpId = null, name = null, status = null, verification = null } = members;
        const changed = appByAppId(appId);
        const statements = [
          ...guards,
          updateApp(rpId, name, status, verification, at, appId, app.updatedAt),
          ...putParts(appId, { client, policy, logo }),
          ...endStatements(appId, ends),
          changed,
        ];
        const after = { ...app, ...members, client: client ?? app.client, policy: policy ?? app.policy };
        const outcome = await audit.write(statements, {
          action: 'app.updated',
          target: appId,
          ...appDifference(app, after, logo),
        });
        if (members.rpId !== undefined && !outcome.ok && outcome.guard < guards.length) {
          throw rpIdTaken(members.rpId);
        }
        return outcome.ok ? rowsOf(changed, outcome.results.at(-1) ?? [])[0] : undefined;
      }),
    /**
     * Removes an app with its secrets and its logo.
     *
     * @param version - As for `update`.
     * @throws ServiceError `app.unknown`, `app.changed`
     */
    async remove(appId: string, version?: number): Promise<void> {
      await changing(appId, version, async (app) => {
        await endInBatches(appId, ALL_GRANTS);
        await forgetPeopleInBatches(driver, appId);
        const statements = [
          deleteApp(appId, app.updatedAt),
          ...Object.values(deleteRows).map((deleteRow) => deleteRow(appId)),
          ...endStatements(appId, ALL_GRANTS),
          ...forgetPeopleOf(appId),
        ];
        const change = { action: 'app.removed', target: appId, before: appValues(app) };
        return (await audit.write(statements, change)).ok || undefined;
      });
    },
    logo: async (appId: string): Promise<Logo | undefined> => (await driver.read(logoOf(appId)))[0],
  };
}

/** Writes what other tables hold of an app, replacing what is stored; an absent part stays as it is. */
function putParts(
  appId: string,
  {
    client,
    policy,
    logo,
  }: {
    readonly client?: ClientMetadata | undefined;
    readonly policy?: VerificationPolicy | undefined;
    readonly logo?: Logo | null | undefined;
  },
): Statement[] {
  const statements: Statement[] = [];
  if (client !== undefined) statements.push(putClient(appId, JSON.stringify(client)));
  if (policy !== undefined) statements.push(putPolicy(appId, JSON.stringify(policy)));
  if (logo === null) statements.push(deleteRows.client_logos(appId));
  else if (logo !== undefined) statements.push(putLogo(appId, ...LOGO.values(logo)));
  return statements;
}

/** Grants of an app that a change of it ends. */
interface EndedGrants {
  readonly sessions: boolean;
  /** Families of refresh tokens. */
  readonly families: boolean;
}

const ALL_GRANTS: EndedGrants = { sessions: true, families: true };

/**
 * Returns the grants of an app that a change ends. What a person agreed to was for the client as it was. Switching refresh
 * tokens or the app on ends the families, too: a process that had not yet learnt that they were off may have begun some.
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

type Values = Readonly<Record<string, unknown>>;

/** Returns the members of an app as the audit log holds them, spelled as on the wire. */
function appValues({ rpId, name, status, verification, policy, client, hasLogo }: AppRow): Values {
  return { rp_id: rpId, name, status, verification, policy, ...fieldsOfClient(client), logo: hasLogo };
}

/**
 * Returns the members of an app that a change gives other values, before and after.
 *
 * @param logo - The new logo, null to remove it; undefined if it stays.
 */
function appDifference(
  app: AppRow,
  changed: AppRow,
  logo: Logo | null | undefined,
): Required<Pick<AuditedChange, 'before' | 'after'>> {
  const before = appValues(app);
  const hasLogo = logo === undefined ? app.hasLogo : logo !== null;
  const after = appValues({ ...changed, hasLogo });
  // A picture that replaces another one leaves the members equal; its size tells that it was set.
  const picture = logo == null ? {} : { logo_bytes: logo.bytes.length };
  const isChanged = ([member, value]: [string, unknown]): boolean =>
    !isDeepStrictEqual(value, before[member]);
  const present = Object.fromEntries(Object.entries(after).filter(isChanged));
  const former = Object.fromEntries(Object.keys(present).map((member) => [member, before[member]]));
  return { before: former, after: { ...present, ...picture } };
}
