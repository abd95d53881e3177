import { ServiceError } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import { type ActionRow, type AppStore, USAGE_KINDS, type UsageRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';
import type { AdminServices, Operation } from '../operation.ts';
import { appOf } from './apps.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  APP_PARAMS,
  COUNT,
  DAYS,
  ENVIRONMENT,
  EXAMPLE_APP_ID,
  listOf,
  OPTIONAL_TEXT,
  objectSchema,
  TIME,
  textOf,
} from './schemas.ts';

const TAG = 'Usage';
const DAY_MS = 86_400_000;
/** Longest date text of a day. */
const DATE_CHARACTERS = 10;
const ENVIRONMENT_NAMES = ['production', 'staging'] as const;

const ACTION = objectSchema({
  environment: ENVIRONMENT,
  action: { type: 'string' },
  description: { type: 'string' },
  first_seen_at: TIME,
  nullifiers: { ...COUNT, description: 'Recorded since the action was first seen or reset; approximate.' },
});

const DAY = objectSchema({
  day: { type: 'string', description: 'UTC, as YYYY-MM-DD.' },
  environment: ENVIRONMENT,
  ...Object.fromEntries(USAGE_KINDS.map((kind) => [kind, COUNT])),
});
const MOST_APPS: JsonSchema = {
  ...{ type: 'integer', minimum: 1, maximum: 200, default: 50 },
  description: 'Most apps that are listed.',
};
const APP_SUM = objectSchema({
  app_id: { type: 'string' },
  name: { ...OPTIONAL_TEXT, description: 'Null if the app was removed.' },
  ...Object.fromEntries(USAGE_KINDS.map((kind) => [kind, COUNT])),
});
const USAGE_TEXT =
  'verified_new counts people, verified_reused repeated proofs. Counts are approximate: those of the last seconds are missing, and those that a killed node had not written are lost. They are kept for 90 days.';

/** Operations of actions and of counts. */
export const USAGE_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listActions', method: 'GET', path: '/apps/{app_id}/actions', scope: 'read', tag: TAG },
    summary: 'Lists the actions of an app with the number of their nullifiers.',
    params: APP_PARAMS,
    query: { ...PAGE_QUERY, environment: ENVIRONMENT },
    response: { status: 200, description: 'A page of actions.', schema: pageSchema(ACTION) },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run({ appsOf, flushUsage }, request) {
      const { appId } = await appOf(appsOf(request.store), request);
      await flushUsage();
      const { limit, after } = readPage(request, ['string', 'string']);
      const filter = {
        environment: ENVIRONMENT_NAMES.find((name) => name === request.query.environment),
        after: after && {
          environment: environmentOf(String(after[0])),
          hash: new Uint8Array(Buffer.from(String(after[1]), 'hex')),
        },
      };
      const rows = await request.store.usage.listActions(appId, filter, limit + 1);
      return pageOf(rows, limit, actionJson, ({ environment, hash }) => [
        environment,
        Buffer.from(hash).toString('hex'),
      ]);
    },
  },
  {
    ...{ id: 'resetAction', method: 'POST', path: '/apps/{app_id}/actions/reset', scope: 'write', tag: TAG },
    summary: 'Forgets the nullifiers of an action in the staging environment.',
    description:
      'Afterwards each person can take part once more. Nullifiers of production are never forgotten.',
    params: APP_PARAMS,
    body: objectSchema({ action: textOf(65_536, 0) }),
    response: { status: 200, description: 'What was removed.', schema: objectSchema({ removed: COUNT }) },
    errors: ['app.unknown', 'action.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID }, body: { action: 'test-action' } },
    async run({ appsOf }, request) {
      const { appId } = await appOf(appsOf(request.store), request);
      const { usage } = request.store;
      const action = String(request.body.action);
      if ((await usage.findAction(appId, 'staging', action)) === undefined) {
        throw new ServiceError('action.unknown');
      }
      return { status: 200, body: { removed: await usage.resetStagingAction(appId, action) } };
    },
  },
  {
    ...{ id: 'getAppUsage', method: 'GET', path: '/apps/{app_id}/usage', scope: 'read', tag: TAG },
    summary: 'Counts verifications and sign-ins of an app by day.',
    description: USAGE_TEXT,
    params: APP_PARAMS,
    query: { days: DAYS },
    response: {
      status: 200,
      description: 'Days with requests.',
      schema: objectSchema({ items: listOf(DAY) }),
    },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run(services, request) {
      const { appId } = await appOf(services.appsOf(request.store), request);
      await services.flushUsage();
      const rows = await request.store.usage.list(firstDay(services, request.query.days), appId);
      return { status: 200, body: { items: daysOf(rows) } };
    },
  },
  {
    ...{ id: 'listAppUsage', method: 'GET', path: '/usage/apps', scope: 'read', tag: TAG },
    summary: 'Sums verifications and sign-ins by app, the app with most of them first.',
    description: USAGE_TEXT,
    query: { days: DAYS, environment: ENVIRONMENT, limit: MOST_APPS },
    response: {
      status: 200,
      description: 'Apps with requests.',
      schema: objectSchema({ items: listOf(APP_SUM) }),
    },
    errors: [],
    example: { query: { days: '7' } },
    async run(services, { query, store }) {
      await services.flushUsage();
      const environment = ENVIRONMENT_NAMES.find((name) => name === query.environment);
      const limit = Number(query.limit ?? MOST_APPS.default);
      const rows = await store.usage.byApp(firstDay(services, query.days), limit, environment);
      return { status: 200, body: { items: await sumsOf(rows, services.appsOf(store)) } };
    },
  },
  {
    ...{ id: 'getUsage', method: 'GET', path: '/usage', scope: 'read', tag: TAG },
    summary: 'Counts verifications and sign-ins of all apps by day.',
    description: USAGE_TEXT,
    query: { days: DAYS },
    response: {
      status: 200,
      description: 'Days with requests.',
      schema: objectSchema({ items: listOf(DAY) }),
    },
    errors: [],
    example: { query: { days: '7' } },
    async run(services, request) {
      await services.flushUsage();
      const rows = await request.store.usage.totals(firstDay(services, request.query.days));
      return { status: 200, body: { items: daysOf(rows) } };
    },
  },
];

function actionJson({ environment, action, description, createdAt, amount }: ActionRow): unknown {
  return { environment, action, description, first_seen_at: isoTime(createdAt), nullifiers: amount };
}

/** Returns one object for each app, with all kinds, the app with most requests first. */
async function sumsOf(
  rows: readonly Pick<UsageRow, 'appId' | 'kind' | 'amount'>[],
  apps: Pick<AppStore, 'findByAppId'>,
): Promise<unknown[]> {
  const ids = [...new Set(rows.map(({ appId }) => appId))];
  const sums = ids.map((appId) => {
    const own = rows.filter((row) => row.appId === appId);
    const counts = USAGE_KINDS.map(
      (kind) => [kind, own.find((row) => row.kind === kind)?.amount ?? 0] as const,
    );
    return { appId, counts, total: counts.reduce((sum, [, amount]) => sum + amount, 0) };
  });
  sums.sort((one, other) => other.total - one.total || (one.appId < other.appId ? -1 : 1));
  return await Promise.all(
    sums.map(async ({ appId, counts }) => {
      const name = (await apps.findByAppId(appId))?.name ?? null;
      return { app_id: appId, name, ...Object.fromEntries(counts) };
    }),
  );
}

function environmentOf(name: string): 'production' | 'staging' {
  return name === 'staging' ? 'staging' : 'production';
}

function firstDay({ now }: Pick<AdminServices, 'now'>, days: string | number = Number(DAYS.default)): number {
  return Math.floor(now() / DAY_MS) - Number(days) + 1;
}

/** Returns one object for each day and environment, with all kinds. */
function daysOf(rows: readonly Omit<UsageRow, 'appId'>[]): unknown[] {
  const days = new Map<string, Record<string, unknown>>();
  for (const { day, environment, kind, amount } of rows) {
    const key = `${day} ${environment}`;
    const shown = days.get(key) ?? {
      ...{ day: isoTime(day * DAY_MS).slice(0, DATE_CHARACTERS), environment },
      ...Object.fromEntries(USAGE_KINDS.map((name) => [name, 0])),
    };
    days.set(key, { ...shown, [kind]: amount });
  }
  return [...days.values()];
}
