import { findApp } from '../apps/apps.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { TypeOf } from '../json.ts';
import type { AppStore } from '../storage/apps/apps.ts';
import { type ActionRow, USAGE_KINDS, type UsageRow } from '../storage/usage.ts';
import { isoTime } from '../text.ts';
import { nodeOperation, operation, operations } from './operation.ts';
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
  TEXT,
  TIME,
  textOf,
} from './schemas.ts';

const DAY_MS = 86_400_000;
/** Longest date text of a day. */
const DATE_CHARACTERS = 10;

const ACTION = objectSchema({
  environment: ENVIRONMENT,
  action: TEXT,
  description: TEXT,
  first_seen_at: TIME,
  nullifiers: { ...COUNT, description: 'Recorded since the action was first seen or reset; approximate.' },
});

type Counts = Record<UsageRow['kind'], number>;
const NO_COUNTS = Object.fromEntries(USAGE_KINDS.map((kind) => [kind, 0])) as Counts;
const COUNTS = Object.fromEntries(USAGE_KINDS.map((kind) => [kind, COUNT])) as Record<
  UsageRow['kind'],
  typeof COUNT
>;
const DAY = objectSchema({
  day: { ...TEXT, description: 'UTC, as YYYY-MM-DD.' },
  environment: ENVIRONMENT,
  ...COUNTS,
});
const DEFAULT_APPS = 50;
const MOST_APPS = {
  type: 'integer',
  minimum: 1,
  maximum: 200,
  default: DEFAULT_APPS,
  description: 'Most apps that are listed.',
} as const;
const APP_SUM = objectSchema({
  app_id: TEXT,
  name: { ...OPTIONAL_TEXT, description: 'Null if the app was removed.' },
  ...COUNTS,
});
const USAGE_TEXT =
  'verified_new counts people, verified_reused repeated proofs. Counts are approximate: those of the last seconds are missing, and those that a killed node had not written are lost. They are kept for 90 days.';

/** Operations of actions and of counts. */
export const USAGE_OPERATIONS = operations('Usage', {
  listActions: nodeOperation({
    at: 'GET /apps/{app_id}/actions',
    scope: 'read',
    summary: 'Lists the actions of an app with the number of their nullifiers.',
    input: objectSchema({ ...APP_PARAMS, ...PAGE_QUERY, environment: ENVIRONMENT }, [
      ...(['limit', 'cursor', 'environment'] as const),
    ]),
    output: pageSchema(ACTION),
    answer: 'A page of actions.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, flushUsage }, { app_id, environment, ...page }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      await flushUsage();
      const { limit, after } = readPage(page, ['string', 'string']);
      const place = after && {
        environment: environmentOf(String(after[0])),
        hash: new Uint8Array(Buffer.from(String(after[1]), 'hex')),
      };
      const rows = await store.usage.listActions(appId, { environment, after: place }, limit + 1);
      return pageOf(rows, limit, actionJson, ({ environment, hash }) => [
        environment,
        Buffer.from(hash).toString('hex'),
      ]);
    },
  }),
  resetAction: operation({
    at: 'POST /apps/{app_id}/actions/reset',
    scope: 'write',
    summary: 'Forgets the nullifiers of an action in the staging environment.',
    description:
      'Afterwards each person can take part once more. Nullifiers of production are never forgotten.',
    input: objectSchema({ ...APP_PARAMS, action: textOf(65_536, 0) }),
    output: objectSchema({ removed: COUNT }),
    answer: 'What was removed.',
    errors: ['app.unknown', 'action.unknown'],
    example: { app_id: EXAMPLE_APP_ID, action: 'test-action' },
    async run({ appsOf }, { app_id, action }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      const { usage } = store;
      if ((await usage.findAction(appId, 'staging', action)) === undefined) {
        throw new ServiceError('action.unknown');
      }
      return { removed: await usage.resetStagingAction(appId, action) };
    },
  }),
  getAppUsage: nodeOperation({
    at: 'GET /apps/{app_id}/usage',
    scope: 'read',
    summary: 'Counts verifications and sign-ins of an app by day.',
    description: USAGE_TEXT,
    input: objectSchema({ ...APP_PARAMS, days: DAYS }, ['days']),
    output: objectSchema({ items: listOf(DAY) }),
    answer: 'Days with requests.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, flushUsage, now }, { app_id, days }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      await flushUsage();
      return { items: daysOf(await store.usage.list(firstDay(now(), days), appId)) };
    },
  }),
  listAppUsage: nodeOperation({
    at: 'GET /usage/apps',
    scope: 'read',
    summary: 'Sums verifications and sign-ins by app, the app with most of them first.',
    description: USAGE_TEXT,
    input: objectSchema({ days: DAYS, environment: ENVIRONMENT, limit: MOST_APPS }, [
      ...(['days', 'environment', 'limit'] as const),
    ]),
    output: objectSchema({ items: listOf(APP_SUM) }),
    answer: 'Apps with requests.',
    example: { days: 7 },
    async run({ appsOf, flushUsage, now }, { days, environment, limit = DEFAULT_APPS }, { store }) {
      await flushUsage();
      const rows = await store.usage.byApp(firstDay(now(), days), limit, environment);
      return { items: await sumsOf(rows, appsOf(store)) };
    },
  }),
  getUsage: nodeOperation({
    at: 'GET /usage',
    scope: 'read',
    summary: 'Counts verifications and sign-ins of all apps by day.',
    description: USAGE_TEXT,
    input: objectSchema({ days: DAYS }, ['days']),
    output: objectSchema({ items: listOf(DAY) }),
    answer: 'Days with requests.',
    example: { days: 7 },
    async run({ flushUsage, now }, { days }, { store }) {
      await flushUsage();
      return { items: daysOf(await store.usage.totals(firstDay(now(), days))) };
    },
  }),
});

function actionJson({
  environment,
  action,
  description,
  createdAt,
  amount,
}: ActionRow): TypeOf<typeof ACTION> {
  return { environment, action, description, first_seen_at: isoTime(createdAt), nullifiers: amount };
}

/** Returns one object for each app, with all kinds, the app with most requests first. */
async function sumsOf(
  rows: readonly Pick<UsageRow, 'appId' | 'kind' | 'amount'>[],
  apps: Pick<AppStore, 'findByAppId'>,
): Promise<TypeOf<typeof APP_SUM>[]> {
  const byApp = new Map<string, Counts>();
  for (const { appId, kind, amount } of rows) {
    byApp.set(appId, { ...(byApp.get(appId) ?? NO_COUNTS), [kind]: amount });
  }
  const total = (counts: Counts): number => Object.values(counts).reduce((sum, amount) => sum + amount, 0);
  const sums = [...byApp].sort(
    ([oneId, one], [otherId, other]) => total(other) - total(one) || (oneId < otherId ? -1 : 1),
  );
  return await Promise.all(
    sums.map(async ([appId, counts]) => {
      const name = (await apps.findByAppId(appId))?.name ?? null;
      return { app_id: appId, name, ...counts };
    }),
  );
}

function environmentOf(name: string): 'production' | 'staging' {
  return name === 'staging' ? 'staging' : 'production';
}

function firstDay(now: number, days: number = DAYS.default): number {
  return Math.floor(now / DAY_MS) - days + 1;
}

/** Returns one object for each day and environment, with all kinds. */
function daysOf(rows: readonly Omit<UsageRow, 'appId'>[]): TypeOf<typeof DAY>[] {
  const days = new Map<string, TypeOf<typeof DAY>>();
  for (const { day, environment, kind, amount } of rows) {
    const key = `${day} ${environment}`;
    const shown = days.get(key) ?? {
      day: isoTime(day * DAY_MS).slice(0, DATE_CHARACTERS),
      environment,
      ...NO_COUNTS,
    };
    days.set(key, { ...shown, [kind]: amount });
  }
  return [...days.values()];
}
