import { ServiceError } from '../../errors/index.ts';
import type { JsonSchema } from '../../json.ts';
import { examineToken, MAX_ACCESS_TOKEN_LIFETIME_MS } from '../../oidc/access-tokens.ts';
import { isoTime } from '../../text.ts';
import type { AdminServices, Operation } from '../operation.ts';
import { COUNT, objectSchema, TIME, textOf } from './schemas.ts';

const TAG = 'Service';
const MAX_WORKERS = 256;
const MAX_TOKEN_CHARACTERS = 16_384;
const JTI_PATTERN = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** Schema of the engine. */
export const ENGINE: JsonSchema = objectSchema({
  backend: { type: 'string', description: '`native` or `wasm`.' },
  ...{ arithmetic: { type: 'string' }, reason: { type: 'string' } },
  ...{ workers: COUNT, ready_workers: COUNT, worker_restarts: COUNT },
  ...{ queue_depth: COUNT, max_queue: COUNT, running: COUNT, verified: COUNT },
  broken_batches: { ...COUNT, description: 'Batches that failed because of a bad proof.' },
  poisoned: { ...COUNT, description: 'Batches that ended a worker every time.' },
  max_batch: COUNT,
});

/** Operations that change what the service does: engine, refresh switch, revocation and sweep. */
export const CONTROL_OPERATIONS: readonly Operation[] = [
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
          token: textOf(MAX_TOKEN_CHARACTERS),
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
      schema: objectSchema({ removed: { type: 'object' } }),
    },
    errors: [],
    example: { body: {} },
    run: async ({ config, now }, { store }) => ({
      status: 200,
      body: { removed: await store.sweep(now(), config.storage.sweepBatchRows) },
    }),
  },
];

/** Returns the members of the engine. */
export function engineJson({ engine, config }: Pick<AdminServices, 'engine' | 'config'>): unknown {
  const stats = engine.stats();
  return {
    ...{ backend: stats.backend, arithmetic: stats.arithmetic, reason: stats.reason },
    ...{ workers: stats.workers, ready_workers: stats.readyWorkers, worker_restarts: stats.workerRestarts },
    ...{ queue_depth: stats.queueDepth, max_queue: config.engine.maxQueue, running: stats.running },
    ...{ verified: stats.verified, broken_batches: stats.brokenBatches, poisoned: stats.poisoned },
    max_batch: config.engine.maxBatch,
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
