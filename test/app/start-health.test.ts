// Rules: spec/operations.md#health
import { describe, expect, it } from 'vitest';
import { enginePart } from '../../src/app/parts/engine.ts';
import { createServiceHealth } from '../../src/app/parts/health.ts';
import { keysPart } from '../../src/app/parts/keys.ts';
import { rootsNotice } from '../../src/app/parts/root-sources.ts';
import { storePart } from '../../src/app/parts/store.ts';
import type { Config } from '../../src/config/settings/types.ts';
import { Overload } from '../../src/http/limits/overload.ts';
import type { SourceState } from '../../src/membership/sources/source-states.ts';
import type { LogFields } from '../../src/observability/log/log.ts';
import type { Store } from '../../src/storage/store.ts';

/** Readiness with a store that a test can make unreachable, and its log lines. */
function healthOver(rootStates: Parameters<typeof rootsNotice>[0] = { list: () => [], isStarting: false }): {
  health: ReturnType<typeof createServiceHealth>;
  lines: [level: string, message: string, fields: LogFields | undefined][];
  setReachable: (isReachable: boolean) => void;
} {
  let isReachable = true;
  const lines: [string, string, LogFields | undefined][] = [];
  const write =
    (level: string) =>
    (message: string, fields?: LogFields): void => {
      lines.push([level, message, fields]);
    };
  const store = {
    probe: async () => ({
      isReachable,
      isWritable: isReachable,
      reason: 'disk I/O error',
      durability: 'full',
    }),
    migrationStatus: async () => ({ applied: [], pending: [] }),
  } as unknown as Store;
  const stats = { readyWorkers: 1, workers: 1, arithmetic: 'portable' };
  const log = { info: write('info'), warn: write('warn') } as unknown as Parameters<
    typeof createServiceHealth
  >[0]['log'];
  const engine = { stats: () => stats, close: async () => undefined } as unknown as Parameters<
    typeof enginePart
  >[0];
  const credentialKeys = { check: async () => undefined, ages: async () => [] };
  const health = createServiceHealth({
    checks: {
      roots: rootsNotice(rootStates),
      ...enginePart(engine).health,
      ...keysPart({ signingKeys: undefined, credentialKeys, keyErrors: [] }).health,
      ...storePart({ store, config: {} as Config, now: () => 0 }).health,
    },
    overload: new Overload(),
    log,
  });
  return { health, lines, setReachable: (value) => (isReachable = value) };
}

describe('readiness in the log', () => {
  it('is logged as a warning with its reason when it is lost', async () => {
    const { health, lines, setReachable } = healthOver();
    await health.start();
    setReachable(false);
    await health.refresh();
    setReachable(true);
    await health.refresh();
    health.stop();
    const event = 'service.readiness';
    expect(lines).toEqual([
      ['info', 'ready', { event }],
      ['warn', 'not ready', { event, reason: 'store: disk I/O error' }],
      ['info', 'ready', { event }],
    ]);
  });

  it('is not logged as a warning when the service is stopping', async () => {
    const { health, lines } = healthOver();
    await health.start();
    health.setDraining();
    health.stop();
    expect(lines.at(-1)).toEqual(['info', 'not ready', { event: 'service.readiness', reason: 'stopping' }]);
  });
});

describe('the report of readiness', () => {
  it('has its checks in the order of the specification, and then what parts say in their own words', async () => {
    const { health } = healthOver();
    expect(Object.keys(health.report().checks)).toEqual([
      'store',
      'migrations',
      'keys',
      'engine',
      'load',
      'roots',
    ]);
  });
});

describe('sources of roots in readiness', () => {
  const source = (id: string, status: SourceState['status']): SourceState => ({
    id,
    status,
    lagSeconds: status === 'starting' ? undefined : 7,
    backfillBlocksLeft: 0,
    lastError: undefined,
  });

  it.each<[string, readonly SourceState[]]>([
    ['off', []],
    ['ok', [source('one', 'ok'), source('two', 'ok')]],
    ['stale', [source('one', 'ok'), source('two', 'stale')]],
    ['starting', [source('one', 'starting'), source('two', 'stale')]],
  ])('are %s, and the service is ready', async (status, sources) => {
    const { health } = healthOver({ list: () => [...sources], isStarting: false });
    await health.start();
    expect(health.report()).toMatchObject({ status: 'ok', checks: { roots: { status, sources } } });
    health.stop();
  });

  it('are waited for at the start only', async () => {
    const states = { list: () => [source('one', 'starting')], isStarting: true };
    const { health, lines } = healthOver(states);
    await health.start();
    expect(health.isReady).toBe(false);
    states.isStarting = false;
    await health.refresh();
    expect(health.isReady).toBe(true);
    health.stop();
    expect(lines.at(0)?.[2] ?? {}).toMatchObject({ event: 'service.readiness' });
  });
});
