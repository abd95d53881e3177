import { ERRORS, type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import { examineToken, MAX_ACCESS_TOKEN_LIFETIME_MS } from '../../oidc/issuing/index.ts';
import type { NodeRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';
import { noticesOf } from '../notices.ts';
import type { AdminServices, Operation } from '../operation.ts';
import { readSigningKeys } from './keys.ts';
import { COUNT, listOf, OPTIONAL_COUNT, OPTIONAL_TEXT, objectSchema, TIME } from './schemas.ts';

const TAG = 'Service';
const HOUR_MS = 3_600_000;
const MAX_CODES = 200;
const MAX_WORKERS = 256;
const MAX_TOKEN_CHARACTERS = 16_384;
const JTI_PATTERN = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const ANY_OBJECT: JsonSchema = { type: 'object' };

const NOTICE = objectSchema({
  level: { type: 'string', enum: ['error', 'warning', 'info'] },
  code: { type: 'string', description: 'Stable name of the condition.' },
  ...{ text: { type: 'string' }, cure: { type: 'string' } },
});

const ENGINE = objectSchema({
  backend: { type: 'string', description: '`native` or `wasm`.' },
  ...{ arithmetic: { type: 'string' }, reason: { type: 'string' } },
  ...{ workers: COUNT, ready_workers: COUNT, worker_restarts: COUNT },
  ...{ queue_depth: COUNT, max_queue: COUNT, running: COUNT, verified: COUNT },
  broken_batches: { ...COUNT, description: 'Batches that failed because of a bad proof.' },
  poisoned: { ...COUNT, description: 'Batches that ended a worker every time.' },
  max_batch: COUNT,
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
      const facts = { config, health: report, engine: stats, store: state, keys, now: now() };
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
    ...{ id: 'getEngine', method: 'GET', path: '/engine', scope: 'read', tag: TAG },
    summary: 'Returns queue and batch figures of the proof engine of this node.',
    response: { status: 200, description: 'The engine.', schema: ENGINE },
    errors: [],
    example: {},
    run: async (services) => ({ status: 200, body: engineJson(services) }),
  },
  {
    ...{ id: 'updateEngine', method: 'PATCH', path: '/engine', scope: 'write', tag: TAG },
    summary: 'Changes the number of worker threads of this node.',
    description:
      'No proof is lost. The change lasts until this node stops; engine.workers is the number after the next start.',
    body: objectSchema({ workers: { type: 'integer', minimum: 1, maximum: MAX_WORKERS } }),
    response: { status: 200, description: 'The engine.', schema: ENGINE },
    errors: ['engine.worker_failed', 'engine.self_test_failed', 'engine.draining'],
    example: { body: { workers: 1 } },
    async run(services, { body, store }) {
      const { engine, node } = services;
      const workers = Number(body.workers);
      const before = engine.stats().workers;
      if (workers !== before) {
        await store.audit.record({
          ...{ action: 'engine.workers_changed', target: node.nodeId },
          ...{ before: { workers: before }, after: { workers } },
        });
      }
      await engine.setWorkers(workers);
      return { status: 200, body: engineJson(services) };
    },
  },
  {
    ...{ id: 'getRefresh', method: 'GET', path: '/refresh', scope: 'read', tag: TAG },
    summary: 'Returns whether credentials are issued.',
    response: { status: 200, description: 'The switches.', schema: refreshSchema() },
    errors: [],
    example: {},
    run: async (services, { store }) => ({
      status: 200,
      body: refreshJson(services, await store.refreshGuards.isSwitchedOn()),
    }),
  },
  {
    ...{ id: 'updateRefresh', method: 'PATCH', path: '/refresh', scope: 'write', tag: TAG },
    summary: 'Switches the issuance of credentials on or off, for all nodes.',
    description: 'Every node follows within storage.cacheSeconds.',
    body: objectSchema({ enabled: { type: 'boolean' } }),
    response: { status: 200, description: 'The switches.', schema: refreshSchema() },
    errors: [],
    example: { body: { enabled: true } },
    async run(services, { body, store }) {
      const isOn = body.enabled === true;
      await store.refreshGuards.switch(isOn, services.now());
      return { status: 200, body: refreshJson(services, isOn) };
    },
  },
  {
    ...{ id: 'revokeToken', method: 'POST', path: '/tokens/revoke', scope: 'write', tag: TAG },
    summary: 'Puts an access token on the revocation list until it expires.',
    body: {
      ...objectSchema(
        {
          token: { type: 'string', minLength: 1, maxLength: MAX_TOKEN_CHARACTERS },
          jti: { type: 'string', pattern: JTI_PATTERN, description: 'Instead of the token.' },
        },
        ['token', 'jti'],
      ),
      ...{ minProperties: 1, maxProperties: 1 },
    },
    response: {
      status: 200,
      description: 'The token.',
      schema: objectSchema({
        revoked: { type: 'boolean', description: 'False if it had expired.' },
        ...{ jti: { type: 'string' }, expires_at: TIME },
      }),
    },
    errors: ['admin.not_a_token'],
    example: { body: { jti: '00000000-0000-4000-8000-000000000000' } },
    async run({ config, now }, { body, store }) {
      if (typeof body.jti === 'string') {
        const end = now() + MAX_ACCESS_TOKEN_LIFETIME_MS;
        await store.grants.revokeByOperator(body.jti, end);
        return { status: 200, body: { revoked: true, jti: body.jti, expires_at: isoTime(end) } };
      }
      const verdict = await examineToken(String(body.token), config, store, now);
      if (verdict.claims === undefined) throw new ServiceError('admin.not_a_token');
      const { jti, exp } = verdict.claims;
      const isExpired = !verdict.isActive && verdict.reason === 'expired';
      if (!isExpired) await store.grants.revokeByOperator(jti, exp * 1000);
      return { status: 200, body: { revoked: !isExpired, jti, expires_at: isoTime(exp * 1000) } };
    },
  },
  {
    ...{ id: 'sweep', method: 'POST', path: '/sweep', scope: 'write', tag: TAG },
    summary: 'Removes expired rows from the store now.',
    body: objectSchema({}),
    response: {
      status: 200,
      description: 'Removed rows by table.',
      schema: objectSchema({ removed: ANY_OBJECT }),
    },
    errors: [],
    example: { body: {} },
    run: async ({ config, now }, { store }) => ({
      status: 200,
      body: { removed: await store.sweep(now(), config.storage.sweepBatchRows) },
    }),
  },
  {
    ...{ id: 'getConfig', method: 'GET', path: '/config', scope: 'read', tag: TAG },
    summary: 'Lists the settings of this node with their origin; of a secret only the length is shown.',
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
        ...explanationOf(code),
      }));
      return { status: 200, body: { items } };
    },
  },
];

function explanationOf(code: string): { title: string; cause: string; cure: string } {
  const { title, cause, cure } = Object.hasOwn(ERRORS, code)
    ? ERRORS[code as ErrorCode]
    : { title: code, cause: 'A code of another release.', cure: 'See its documentation.' };
  return { title, cause, cure };
}

function engineJson({ engine, config }: Pick<AdminServices, 'engine' | 'config'>): unknown {
  const stats = engine.stats();
  return {
    ...{ backend: stats.backend, arithmetic: stats.arithmetic, reason: stats.reason },
    ...{ workers: stats.workers, ready_workers: stats.readyWorkers, worker_restarts: stats.workerRestarts },
    ...{ queue_depth: stats.queueDepth, max_queue: config.engine.maxQueue, running: stats.running },
    ...{ verified: stats.verified, broken_batches: stats.brokenBatches, poisoned: stats.poisoned },
    max_batch: config.engine.maxBatch,
  };
}

function nodeJson({ nodeId, version, startedAt, seenAt, state }: NodeRow, selfId: string): unknown {
  return {
    ...{ node_id: nodeId, version, started_at: isoTime(startedAt), seen_at: isoTime(seenAt) },
    ...{ self: nodeId === selfId, ready: state?.isReady ?? null, workers: state?.workers ?? null },
    ...{ ready_workers: state?.readyWorkers ?? null, backend: state?.backend ?? null },
  };
}

function refreshSchema(): JsonSchema {
  return objectSchema({
    enabled: { type: 'boolean', description: 'Whether the operator has it switched on, for all nodes.' },
    configured: { type: 'boolean', description: 'refresh.enabled of this node.' },
    within_seconds: { ...COUNT, description: 'How soon every node follows a change.' },
    credentials_per_window: { ...COUNT, description: 'rateLimits.refreshPerIdComm; 0 is unlimited.' },
    window_seconds: { ...COUNT, description: 'rateLimits.refreshWindowSeconds.' },
  });
}

function refreshJson({ config }: Pick<AdminServices, 'config'>, enabled: boolean): unknown {
  const { refresh, storage, rateLimits } = config;
  return {
    ...{ enabled, configured: refresh.enabled, within_seconds: storage.cacheSeconds },
    credentials_per_window: rateLimits.refreshPerIdComm,
    window_seconds: rateLimits.refreshWindowSeconds,
  };
}
