// Rules: spec/operations.md#rate-limits
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { Limits } from '../../src/http/limits/limits.ts';
import { type BridgeGuard, createBridgeGuard } from '../../src/http/routes/public/bridge-guard.ts';

type Kind = Parameters<BridgeGuard['admit']>[0];

const PAGE = '192.0.2.1';
const STRANGER = '192.0.2.2';
/** An id of the service's own form. */
const own = (): string => `own-${randomUUID()}`;
/** An id that its caller chose. */
const chosen = (): string => `chosen-${randomUUID()}`;

/** A node: its guard, over a store that holds the ids of `held` and counts its reads. */
function nodeOver(held: Set<string>, bounds: { polls: number; calls: number; failures: number }) {
  const limits = new Limits();
  const guard = createBridgeGuard(
    {
      polls: limits.perMinute('polls', bounds.polls),
      calls: limits.failuresPerMinute('calls', bounds.calls),
      failures: limits.failuresPerMinute('failures', bounds.failures),
    },
    limits.known('bridgeIds'),
    (id) => id.startsWith('own-'),
  );
  const store = { reads: 0, fault: undefined as ServiceError | undefined };
  const call = async (kind: Kind, id: string | undefined, addressKey = PAGE): Promise<string> => {
    const request = { params: id === undefined ? {} : { request_id: id }, addressKey };
    try {
      await guard.admit(kind, request);
      return await guard.serve(kind, request, async () => {
        store.reads++;
        await Promise.resolve();
        if (store.fault !== undefined) throw store.fault;
        if (kind !== 'create' && !held.has((id ?? '').toLowerCase()))
          throw new ServiceError(kind === 'poll' ? 'bridge.not_found' : 'bridge.no_status');
        return 'served';
      });
    } catch (error) {
      return error instanceof ServiceError ? error.code : 'other';
    }
  };
  return { guard, store, call };
}

const all = async (count: number, one: (at: number) => Promise<string>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const answer of await Promise.all(Array.from({ length: count }, (_, at) => one(at)))) {
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return counts;
};

describe('polls of an id that exists', () => {
  it('are counted per id, whatever else comes from the address', async () => {
    const ids = Array.from({ length: 300 }, own);
    const { call } = nodeOver(new Set(ids), { polls: 60, calls: 5, failures: 5 });
    for (const id of ids) expect(await all(60, () => call('poll', id))).toEqual({ served: 60 });
    expect(await call('poll', ids[0])).toBe('http.rate_limited');
  });

  it('are counted in either case of the id', async () => {
    const id = own();
    const { call } = nodeOver(new Set([id]), { polls: 2, calls: 5, failures: 5 });
    const spellings = [id, id.toUpperCase(), id.replace('own', 'Own')];
    const answers = [];
    for (const spelling of spellings) answers.push(await call('poll', spelling));
    expect(answers).toEqual(['served', 'served', 'http.rate_limited']);
  });

  it('by a stranger who knows the id take nothing from its page', async () => {
    const id = own();
    const { call } = nodeOver(new Set([id]), { polls: 60, calls: 5, failures: 5 });
    expect(await all(1000, () => call('poll', id, STRANGER))).toEqual({
      served: 60,
      'http.rate_limited': 940,
    });
    expect(await all(60, () => call('poll', id))).toEqual({ served: 60 });
  });

  it('are counted per id also where its caller chose it, on a node that has not seen it', async () => {
    const ids = Array.from({ length: 40 }, chosen);
    const { call } = nodeOver(new Set(ids), { polls: 60, calls: 5, failures: 5 });
    for (const id of ids) {
      for (let poll = 0; poll < 60; poll++) expect(await call('poll', id)).toBe('served');
    }
  });
});

describe('calls with an id that does not exist', () => {
  it('are counted per address, and beyond the limit cost no read, all at once or one by one', async () => {
    for (const kind of ['poll', 'answer'] as const) {
      const { call, store } = nodeOver(new Set(), { polls: 60, calls: 1000, failures: 120 });
      const first = await all(5000, () => call(kind, randomUUID()));
      expect(first['http.rate_limited']).toBe(4880);
      for (let count = 0; count < 5000; count++) {
        expect(await call(kind, randomUUID())).toBe('http.rate_limited');
      }
      expect(store.reads).toBe(120);
      expect(await call(kind, randomUUID(), STRANGER)).not.toBe('http.rate_limited');
    }
  });

  it('count as calls of the address too, unless they are refused', async () => {
    const { call } = nodeOver(new Set(), { polls: 60, calls: 5, failures: 3 });
    expect(await all(100, () => call('poll', randomUUID()))).toMatchObject({ 'bridge.not_found': 3 });
    expect(await all(4, () => call('create', undefined))).toEqual({ served: 2, 'http.rate_limited': 2 });
  });

  it('do not disturb ids that the service created, or that this node has seen', async () => {
    const [made, seen, posted, late] = [own(), chosen(), chosen(), chosen()] as const;
    const held = new Set([made, seen, posted, late]);
    const { call, guard } = nodeOver(held, { polls: 60, calls: 100, failures: 3 });
    expect(await call('poll', seen.toUpperCase())).toBe('served');
    guard.remember(posted);
    await all(100, () => call('poll', randomUUID()));
    for (const id of [made, seen, posted]) {
      expect(await call('poll', id)).toBe('served');
      expect(await call('answer', id)).toBe('served');
    }
    expect(await call('poll', late)).toBe('http.rate_limited');
  });

  it('do not count while the store fails', async () => {
    const { call, store } = nodeOver(new Set(), { polls: 60, calls: 5, failures: 3 });
    store.fault = new ServiceError('store.unreachable');
    for (let count = 0; count < 50; count++) {
      expect(await call('poll', randomUUID())).toBe('store.unreachable');
    }
  });
});

it('calls that store a message are counted per address, together', async () => {
  const ids = Array.from({ length: 3 }, own);
  const { call } = nodeOver(new Set(ids), { polls: 60, calls: 5, failures: 5 });
  for (const id of ids) expect(await call('answer', id)).toBe('served');
  expect(await call('create', undefined)).toBe('served');
  expect(await call('create', chosen())).toBe('served');
  expect(await call('answer', ids[0])).toBe('http.rate_limited');
  expect(await call('create', undefined)).toBe('http.rate_limited');
  expect(await call('create', undefined, STRANGER)).toBe('served');
  expect(await call('poll', ids[0])).toBe('served');
});

it('limits of 0 are off', async () => {
  const id = own();
  const { call } = nodeOver(new Set([id]), { polls: 0, calls: 0, failures: 0 });
  expect(await all(500, () => call('poll', id))).toEqual({ served: 500 });
  expect(await all(500, () => call('poll', randomUUID()))).toEqual({ 'bridge.not_found': 500 });
  expect(await all(500, () => call('create', undefined))).toEqual({ served: 500 });
});
