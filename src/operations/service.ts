import { noticesOf } from '../admin/notices.ts';
import { explainCode } from '../errors/explain.ts';
import type { Typed, TypeOf } from '../json.ts';
import type { HealthReport } from '../observability/health.ts';
import type { NodeRow } from '../storage/nodes.ts';
import { isoTime } from '../text.ts';
import { ENGINE, engineJson } from './control.ts';
import { readSigningKeys } from './keys.ts';
import { nodeOperation, operation, operations } from './operation.ts';
import {
  COUNT,
  FLAG,
  listOf,
  NOTHING,
  OPTIONAL_COUNT,
  OPTIONAL_TEXT,
  objectSchema,
  TEXT,
  TIME,
} from './schemas.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
const MAX_CODES = 200;

const NOTICE = objectSchema({
  level: { type: 'string', enum: ['error', 'warning', 'info'] },
  code: { ...TEXT, description: 'Stable name of the condition.' },
  text: TEXT,
  cure: TEXT,
});

const CHECKS: Typed<HealthReport['checks']> = { type: 'object', description: 'As in /health/ready.' };

const NODE = objectSchema({
  node_id: TEXT,
  version: TEXT,
  started_at: TIME,
  seen_at: TIME,
  self: { ...FLAG, description: 'Whether it is the node that answers.' },
  ready: { type: ['boolean', 'null'] },
  workers: OPTIONAL_COUNT,
  ready_workers: OPTIONAL_COUNT,
  backend: OPTIONAL_TEXT,
});

/** Operations of the service as a whole. */
export const SERVICE_OPERATIONS = operations('Service', {
  getStatus: nodeOperation({
    at: 'GET /status',
    scope: 'read',
    summary:
      'Returns version, profile, engine, store and uptime of this node, and what an operator should know.',
    input: NOTHING,
    output: objectSchema({
      node_id: TEXT,
      version: TEXT,
      profile: TEXT,
      started_at: TIME,
      uptime_seconds: COUNT,
      ready: FLAG,
      issuer: { ...TEXT, description: 'baseUrl.' },
      interfaces: objectSchema({ signin: FLAG, refresh: FLAG, verify: FLAG }),
      engine: ENGINE,
      store: objectSchema({
        reachable: FLAG,
        writable: FLAG,
        durability: { ...TEXT, description: 'Settings that durability depends on.' },
      }),
      checks: CHECKS,
      notices: listOf(NOTICE),
    }),
    answer: 'The status.',
    async run(services, _input, { store }) {
      const { config, runningEngine, health, node, now } = services;
      const [report, stats, state] = [health(), runningEngine.stats(), store.health()];
      const keys = await readSigningKeys('signin', store, config.keys, now());
      const isSending = config.webhooks.url !== undefined;
      const webhooks = isSending ? await store.outbox.counts(now()) : undefined;
      const facts = { config, health: report, engine: stats, store: state, keys, webhooks, now: now() };
      return {
        node_id: node.nodeId,
        version: node.version,
        profile: config.profile,
        started_at: isoTime(node.startedAt),
        uptime_seconds: Math.max(0, Math.floor((now() - node.startedAt) / 1000)),
        ready: report.status === 'ok',
        issuer: config.baseUrl,
        interfaces: {
          signin: config.signin.enabled,
          refresh: config.refresh.enabled,
          verify: config.verify.enabled,
        },
        engine: engineJson(services),
        store: {
          reachable: state.isReachable,
          writable: state.isWritable,
          durability: state.durability.text,
        },
        checks: report.checks,
        notices: noticesOf(facts),
      };
    },
  }),
  listNodes: operation({
    at: 'GET /nodes',
    scope: 'read',
    summary: 'Lists the nodes that were seen within a day, the latest started first.',
    description: 'A node reports every ten seconds. One that was stopped in order is not listed.',
    input: NOTHING,
    output: objectSchema({ items: listOf(NODE) }),
    answer: 'The nodes.',
    async run({ node, now }, _input, { store }) {
      const rows = await store.nodes.list();
      // A node with a store of its own keeps no row there.
      const isListed = node === undefined || rows.some(({ nodeId }) => nodeId === node.nodeId);
      const own = isListed ? [] : [{ ...node, keyIds: [], seenAt: now(), state: node.state() }];
      return { items: [...own, ...rows].map((row) => nodeJson(row, node?.nodeId)) };
    },
  }),
  getConfig: nodeOperation({
    at: 'GET /config',
    scope: 'read',
    summary:
      'Lists the settings of this node with their origin; of a secret only the length is shown, of an address that may hold one the origin.',
    input: NOTHING,
    output: objectSchema({
      items: listOf(
        objectSchema({
          key: TEXT,
          value: { description: 'Null if it is not set.' },
          unit: OPTIONAL_TEXT,
          origin: TEXT,
          env: TEXT,
          missing: {
            ...OPTIONAL_TEXT,
            description: 'Setting that must be set before this one has a value.',
          },
        }),
      ),
    }),
    answer: 'The settings.',
    run: async ({ settings }) => ({ items: settings }),
  }),
  listRecentErrors: nodeOperation({
    at: 'GET /errors/recent',
    scope: 'read',
    summary:
      'Counts the refusals of all nodes by code and route, with cause and cure, the most frequent first.',
    description: 'Also of the items of a verification. Counts are approximate and kept for seven days.',
    input: objectSchema({ hours: { type: 'integer', minimum: 1, maximum: 168, default: DEFAULT_HOURS } }, [
      'hours',
    ]),
    output: objectSchema({
      items: listOf(
        objectSchema({
          code: TEXT,
          route: TEXT,
          count: COUNT,
          last_at: TIME,
          title: TEXT,
          cause: TEXT,
          cure: TEXT,
        }),
      ),
    }),
    answer: 'The refusals.',
    async run({ flushUsage, now }, { hours = DEFAULT_HOURS }, { store }) {
      await flushUsage();
      const fromHour = Math.floor(now() / HOUR_MS) - hours + 1;
      const rows = await store.usage.listRefusals(fromHour, MAX_CODES);
      const items = rows.map(({ code, route, amount, lastAt }) => ({
        code,
        route,
        count: amount,
        last_at: isoTime(lastAt),
        ...explainCode(code),
      }));
      return { items };
    },
  }),
});

function nodeJson(
  { nodeId, version, startedAt, seenAt, state }: NodeRow,
  selfId: string | undefined,
): TypeOf<typeof NODE> {
  return {
    node_id: nodeId,
    version,
    started_at: isoTime(startedAt),
    seen_at: isoTime(seenAt),
    self: nodeId === selfId,
    ready: state?.isReady ?? null,
    workers: state?.workers ?? null,
    ready_workers: state?.readyWorkers ?? null,
    backend: state?.backend ?? null,
  };
}
