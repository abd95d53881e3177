import { explainCode } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { NodeRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';
import { noticesOf } from '../notices.ts';
import type { Operation } from '../operation.ts';
import { ENGINE, engineJson } from './control.ts';
import { readSigningKeys } from './keys.ts';
import { COUNT, listOf, OPTIONAL_COUNT, OPTIONAL_TEXT, objectSchema, TIME } from './schemas.ts';

const TAG = 'Service';
const HOUR_MS = 3_600_000;
const MAX_CODES = 200;
const ANY_OBJECT: JsonSchema = { type: 'object' };

const NOTICE = objectSchema({
  level: { type: 'string', enum: ['error', 'warning', 'info'] },
  code: { type: 'string', description: 'Stable name of the condition.' },
  ...{ text: { type: 'string' }, cure: { type: 'string' } },
});

const NODE = objectSchema({
  ...{ node_id: { type: 'string' }, version: { type: 'string' } },
  ...{ started_at: TIME, seen_at: TIME },
  self: { type: 'boolean', description: 'Whether it is the node that answers.' },
  ready: { type: ['boolean', 'null'] },
  ...{ workers: OPTIONAL_COUNT, ready_workers: OPTIONAL_COUNT, backend: OPTIONAL_TEXT },
});

/** Operations of the service as a whole. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'getStatus', method: 'GET', path: '/status', scope: 'read', tag: TAG },
    summary:
      'Returns version, profile, engine, store and uptime of this node, and what an operator should know.',
    response: {
      status: 200,
      description: 'The status.',
      schema: objectSchema({
        ...{ node_id: { type: 'string' }, version: { type: 'string' }, profile: { type: 'string' } },
        ...{ started_at: TIME, uptime_seconds: COUNT, ready: { type: 'boolean' } },
        issuer: { type: 'string', description: 'baseUrl.' },
        interfaces: objectSchema({
          ...{ signin: { type: 'boolean' }, refresh: { type: 'boolean' }, verify: { type: 'boolean' } },
        }),
        engine: ENGINE,
        store: objectSchema({
          ...{ reachable: { type: 'boolean' }, writable: { type: 'boolean' } },
          durability: { type: 'string', description: 'Settings that durability depends on.' },
        }),
        checks: { ...ANY_OBJECT, description: 'As in /health/ready.' },
        notices: listOf(NOTICE),
      }),
    },
    errors: [],
    example: {},
    async run(services, { store }) {
      const { config, engine, health, node, now } = services;
      const [report, stats, state] = [health(), engine.stats(), store.health()];
      const keys = await readSigningKeys('signin', store, config.keys, now());
      const isSending = config.webhooks.url !== undefined;
      const webhooks = isSending ? await store.outbox.counts(now()) : undefined;
      const facts = { config, health: report, engine: stats, store: state, keys, webhooks, now: now() };
      return {
        status: 200,
        body: {
          ...{ node_id: node.nodeId, version: node.version, profile: config.profile },
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
            ...{ reachable: state.isReachable, writable: state.isWritable },
            durability: state.durability.text,
          },
          checks: report.checks,
          notices: noticesOf(facts),
        },
      };
    },
  },
  {
    ...{ id: 'listNodes', method: 'GET', path: '/nodes', scope: 'read', tag: TAG },
    summary: 'Lists the nodes that were seen within a day, the latest started first.',
    description: 'A node reports every ten seconds. One that was stopped in order is not listed.',
    response: { status: 200, description: 'The nodes.', schema: objectSchema({ items: listOf(NODE) }) },
    errors: [],
    example: {},
    async run({ node, now }, { store }) {
      const rows = await store.nodes.list();
      // A node with a store of its own keeps no row there.
      const own = { ...node, keyIds: [], seenAt: now(), state: node.state() };
      const all = rows.some(({ nodeId }) => nodeId === node.nodeId) ? rows : [own, ...rows];
      return { status: 200, body: { items: all.map((row) => nodeJson(row, node.nodeId)) } };
    },
  },
  {
    ...{ id: 'getConfig', method: 'GET', path: '/config', scope: 'read', tag: TAG },
    summary:
      'Lists the settings of this node with their origin; of a secret only the length is shown, of an address that may hold one the origin.',
    response: {
      status: 200,
      description: 'The settings.',
      schema: objectSchema({
        items: listOf(
          objectSchema({
            ...{ key: { type: 'string' }, value: { description: 'Null if it is not set.' } },
            ...{ unit: OPTIONAL_TEXT, origin: { type: 'string' }, env: { type: 'string' } },
            missing: {
              ...OPTIONAL_TEXT,
              description: 'Setting that must be set before this one has a value.',
            },
          }),
        ),
      }),
    },
    errors: [],
    example: {},
    run: async ({ settings }) => ({ status: 200, body: { items: settings } }),
  },
  {
    ...{ id: 'listRecentErrors', method: 'GET', path: '/errors/recent', scope: 'read', tag: TAG },
    summary:
      'Counts the refusals of all nodes by code and route, with cause and cure, the most frequent first.',
    description: 'Also of the items of a verification. Counts are approximate and kept for seven days.',
    query: { hours: { type: 'integer', minimum: 1, maximum: 168, default: 24 } },
    response: {
      status: 200,
      description: 'The refusals.',
      schema: objectSchema({
        items: listOf(
          objectSchema({
            ...{ code: { type: 'string' }, route: { type: 'string' }, count: COUNT, last_at: TIME },
            ...{ title: { type: 'string' }, cause: { type: 'string' }, cure: { type: 'string' } },
          }),
        ),
      }),
    },
    errors: [],
    example: {},
    async run({ flushUsage, now }, { query, store }) {
      await flushUsage();
      const fromHour = Math.floor(now() / HOUR_MS) - Number(query.hours ?? 24) + 1;
      const rows = await store.usage.listRefusals(fromHour, MAX_CODES);
      const items = rows.map(({ code, route, amount, lastAt }) => ({
        ...{ code, route, count: amount, last_at: isoTime(lastAt) },
        ...explainCode(code),
      }));
      return { status: 200, body: { items } };
    },
  },
];

function nodeJson({ nodeId, version, startedAt, seenAt, state }: NodeRow, selfId: string): unknown {
  return {
    ...{ node_id: nodeId, version, started_at: isoTime(startedAt), seen_at: isoTime(seenAt) },
    ...{ self: nodeId === selfId, ready: state?.isReady ?? null, workers: state?.workers ?? null },
    ...{ ready_workers: state?.readyWorkers ?? null, backend: state?.backend ?? null },
  };
}
