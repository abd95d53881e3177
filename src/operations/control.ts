import { ServiceError } from '../errors/service-error.ts';
import type { Typed, TypeOf } from '../json.ts';
import { examineToken, MAX_ACCESS_TOKEN_LIFETIME_MS } from '../oidc/access-tokens.ts';
import { isoTime } from '../text.ts';
import {
  type AdminServices,
  nodeOperation,
  type OperationServices,
  operation,
  operations,
} from './operation.ts';
import { COUNT, FLAG, NOTHING, objectSchema, TEXT, TIME, textOf } from './schemas.ts';

const MAX_WORKERS = 256;
const MAX_TOKEN_CHARACTERS = 16_384;
const JTI_PATTERN = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** Schema of the engine. */
export const ENGINE = objectSchema({
  backend: { ...TEXT, description: '`native` or `wasm`.' },
  arithmetic: TEXT,
  reason: TEXT,
  workers: COUNT,
  ready_workers: COUNT,
  worker_restarts: COUNT,
  queue_depth: COUNT,
  max_queue: COUNT,
  running: COUNT,
  verified: COUNT,
  broken_batches: { ...COUNT, description: 'Batches that failed because of a bad proof.' },
  poisoned: { ...COUNT, description: 'Batches that ended a worker every time.' },
  max_batch: COUNT,
});

const REFRESH = objectSchema({
  enabled: { ...FLAG, description: 'Whether the operator has it switched on, for all nodes.' },
  configured: { ...FLAG, description: 'refresh.enabled of this node.' },
  within_seconds: { ...COUNT, description: 'How soon every node follows a change.' },
  credentials_per_window: { ...COUNT, description: 'rateLimits.refreshPerIdComm; 0 is unlimited.' },
  window_seconds: { ...COUNT, description: 'rateLimits.refreshWindowSeconds.' },
});

/** Numbers of removed rows, by the names of their tables. */
const REMOVED: Typed<Readonly<Record<string, number>>> = { type: 'object' };

/** Operations that change what the service does: engine, refresh switch, revocation and sweep. */
export const CONTROL_OPERATIONS = operations('Service', {
  getEngine: nodeOperation({
    at: 'GET /engine',
    scope: 'read',
    summary: 'Returns queue and batch figures of the proof engine of this node.',
    input: NOTHING,
    output: ENGINE,
    answer: 'The engine.',
    run: async (services) => engineJson(services),
  }),
  updateEngine: nodeOperation({
    at: 'PATCH /engine',
    scope: 'write',
    summary: 'Changes the number of worker threads of this node.',
    description:
      'No proof is lost. The change lasts until this node stops; engine.workers is the number after the next start.',
    input: objectSchema({ workers: { type: 'integer', minimum: 1, maximum: MAX_WORKERS } }),
    output: ENGINE,
    answer: 'The engine.',
    errors: ['engine.worker_failed', 'engine.self_test_failed', 'engine.draining'],
    example: { workers: 1 },
    async run(services, { workers }, { store }) {
      const { runningEngine: engine, node, config } = services;
      const { frontEnds } = config.server;
      if (workers < frontEnds) {
        const text = `expected at least ${frontEnds}, one for each front end, got ${workers}`;
        throw new ServiceError('admin.invalid_request', `workers: ${text}`, {
          path: 'workers',
          faults: [{ path: 'workers', text }],
        });
      }
      const before = engine.stats().workers;
      if (workers !== before) {
        await store.audit.record({
          action: 'engine.workers_changed',
          target: node.nodeId,
          before: { workers: before },
          after: { workers },
        });
      }
      await engine.setWorkers(workers);
      return engineJson(services);
    },
  }),
  getRefresh: operation({
    at: 'GET /refresh',
    scope: 'read',
    summary: 'Returns whether credentials are issued.',
    input: NOTHING,
    output: REFRESH,
    answer: 'The switches.',
    run: async (services, _input, { store }) =>
      refreshJson(services, await store.refreshGuards.isSwitchedOn()),
  }),
  updateRefresh: operation({
    at: 'PATCH /refresh',
    scope: 'write',
    summary: 'Switches the issuance of credentials on or off, for all nodes.',
    description: 'Every node follows within storage.cacheSeconds.',
    input: objectSchema({ enabled: FLAG }),
    output: REFRESH,
    answer: 'The switches.',
    example: { enabled: true },
    async run(services, { enabled }, { store }) {
      await store.refreshGuards.switch(enabled, services.now());
      return refreshJson(services, enabled);
    },
  }),
  revokeToken: operation({
    at: 'POST /tokens/revoke',
    scope: 'write',
    summary: 'Puts an access token on the revocation list until it expires.',
    input: objectSchema(
      {
        token: textOf(MAX_TOKEN_CHARACTERS),
        jti: { type: 'string', pattern: JTI_PATTERN, description: 'Instead of the token.' },
      },
      ['token', 'jti'],
    ),
    output: objectSchema({
      revoked: { ...FLAG, description: 'False if it had expired.' },
      jti: TEXT,
      expires_at: TIME,
    }),
    answer: 'The token.',
    bodyRules: { minProperties: 1, maxProperties: 1 },
    errors: ['admin.not_a_token'],
    example: { jti: '00000000-0000-4000-8000-000000000000' },
    async run({ config, now }, { token, jti: given }, { store }) {
      if (given !== undefined) {
        const end = now() + MAX_ACCESS_TOKEN_LIFETIME_MS;
        await store.grants.revokeByOperator(given, end);
        return { revoked: true, jti: given, expires_at: isoTime(end) };
      }
      const verdict = await examineToken(String(token), config, store, now);
      if (verdict.claims === undefined) throw new ServiceError('admin.not_a_token');
      const { jti, exp } = verdict.claims;
      const isExpired = !verdict.isActive && verdict.reason === 'expired';
      if (!isExpired) await store.grants.revokeByOperator(jti, exp * 1000);
      return { revoked: !isExpired, jti, expires_at: isoTime(exp * 1000) };
    },
  }),
  sweep: operation({
    at: 'POST /sweep',
    scope: 'write',
    summary: 'Removes expired rows from the store now.',
    input: NOTHING,
    output: objectSchema({ removed: REMOVED }),
    answer: 'Removed rows by table.',
    run: async ({ config, now }, _input, { store }) => ({
      removed: { ...(await store.sweep(now(), config.storage.sweepBatchRows)) },
    }),
  }),
});

/** Returns the members of the engine. */
export function engineJson({
  runningEngine,
  config,
}: Pick<AdminServices, 'runningEngine' | 'config'>): TypeOf<typeof ENGINE> {
  const stats = runningEngine.stats();
  return {
    backend: stats.backend,
    arithmetic: stats.arithmetic,
    reason: stats.reason,
    workers: stats.workers,
    ready_workers: stats.readyWorkers,
    worker_restarts: stats.workerRestarts,
    queue_depth: stats.queueDepth,
    max_queue: config.engine.maxQueue,
    running: stats.running,
    verified: stats.verified,
    broken_batches: stats.brokenBatches,
    poisoned: stats.poisoned,
    max_batch: config.engine.maxBatch,
  };
}

function refreshJson(
  { config }: Pick<OperationServices, 'config'>,
  enabled: boolean,
): TypeOf<typeof REFRESH> {
  const { refresh, storage, rateLimits } = config;
  return {
    enabled,
    configured: refresh.enabled,
    within_seconds: storage.cacheSeconds,
    credentials_per_window: rateLimits.refreshPerIdComm,
    window_seconds: rateLimits.refreshWindowSeconds,
  };
}
