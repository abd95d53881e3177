// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { type NoticeFacts, noticesOf } from '../../src/admin/notices.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

const HEALTHY = {
  config: { profile: 'production', engine: { backend: 'auto' } },
  health: { status: 'ok', checks: { store: { status: 'ok', ageMs: 1 }, roots: { status: 'ok' } } },
  engine: { backend: 'native', workers: 2, readyWorkers: 2, workerRestarts: 0, reason: 'loaded' },
  store: { isReachable: true, isWritable: true, durability: { text: 'fsync=on', faults: [] } },
  keys: [{ kid: 'k', use: 'signin', state: 'active', changes_at: '2026-06-02T00:00:00.000Z' }],
  webhooks: { pending: 1, dead: 0, oldestPendingAt: NOW - 3_600_000 },
  now: NOW,
} as unknown as NoticeFacts;

const codes = (changes: object): string[] =>
  noticesOf({ ...HEALTHY, ...changes } as NoticeFacts).map(({ code }) => code);

describe('the notices of the status', () => {
  it('are none while all is well', () => {
    expect(noticesOf(HEALTHY)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'a failing check',
      { health: { checks: { store: { status: 'failed', detail: 'down' } } } },
      'not_ready.store',
    ],
    ['a stop', { health: { checks: {}, draining: true } }, 'draining'],
    ['a stale source of roots', { health: { checks: { roots: { status: 'stale' } } } }, 'roots.stale'],
    [
      'a store that may lose writes',
      { store: { durability: { faults: ['fsync is off'] } } },
      'store.durability',
    ],
    [
      'a failover that may lose writes',
      {
        store: {
          durability: { faults: [], failover: { isSafe: false, text: 'a failover may lose writes' } },
        },
      },
      'store.failover',
    ],
    ['a missing worker', { engine: { ...HEALTHY.engine, readyWorkers: 1 } }, 'engine.workers_missing'],
    ['workers that ended', { engine: { ...HEALTHY.engine, workerRestarts: 2 } }, 'engine.workers_replaced'],
    ['a fallback to WebAssembly', { engine: { ...HEALTHY.engine, backend: 'wasm' } }, 'engine.wasm'],
    [
      'an overdue rotation',
      { keys: [{ kid: 'k', state: 'active', changes_at: '2026-05-30T00:00:00.000Z' }] },
      'keys.rotation_overdue',
    ],
    ['a dead letter', { webhooks: { pending: 0, dead: 1, oldestPendingAt: null } }, 'webhooks.dead'],
    [
      'an event that waits',
      { webhooks: { pending: 1, dead: 0, oldestPendingAt: NOW - 3_600_001 } },
      'webhooks.late',
    ],
    ['a profile for development', { config: { ...HEALTHY.config, profile: 'test' } }, 'profile.development'],
  ])('tell of %s, with a cure', (_condition, changes, code) => {
    expect(codes(changes)).toEqual([code]);
    const [notice] = noticesOf({ ...HEALTHY, ...changes } as NoticeFacts);
    expect(notice?.text).toMatch(/^[A-Z0-9].*\.$/);
    expect(notice?.cure).toMatch(/\.$/);
  });

  it('say nothing of webhooks that are off', () => {
    expect(codes({ webhooks: undefined })).toEqual([]);
  });

  it('come with the most urgent first, and not for a backend that was chosen', () => {
    const config = { profile: 'test', engine: { backend: 'wasm' } };
    const engine = { ...HEALTHY.engine, backend: 'wasm', workerRestarts: 1 };
    const health = { checks: { store: { status: 'failed' } } };
    expect(codes({ config, engine, health })).toEqual([
      'not_ready.store',
      'engine.workers_replaced',
      'profile.development',
    ]);
  });
});
