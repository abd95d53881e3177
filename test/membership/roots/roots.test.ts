// Rules: spec/verification.md#operator-roots
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRootRegistry, currentRootAges } from '../../../src/membership/roots/root-registry.ts';
import {
  addRoots,
  importRoots,
  parseRoot,
  type RootInput,
  rootLine,
} from '../../../src/membership/roots/roots.ts';
import type { Store } from '../../../src/storage/store.ts';
import { parseTime } from '../../../src/text.ts';
import { R } from '../../support/crypto/bn254.ts';
import { openTempStore } from '../../verification/support/temp-store.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const GOOD: RootInput = { environment: 'production', tree: 'orb', root: '0x01' };
const BINDINGS = { 'verify.key.production': 'semaphore-depth30' };

async function* linesOf(...lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
});
// supersedes all roots in the past, so that prune removes them
afterEach(async () => {
  for (const row of await store.roots.listCurrent()) await store.roots.put([{ ...row, supersededAt: 0 }]);
  await store.roots.prune(Number.MAX_SAFE_INTEGER);
});
afterAll(() => temp.close());
const rules = () => ({ store, profile: 'development', bindings: BINDINGS }) as const;

describe('parseRoot', () => {
  it('has defaults: received now, current, by the operator, with the key of the tree', () => {
    expect(parseRoot(GOOD, NOW)).toEqual({
      environment: 'production',
      tree: 'orb',
      root: Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)),
      receivedAt: NOW,
      supersededAt: null,
      source: 'operator',
      keyId: null,
    });
  });

  it('accepts times in both forms, and null as absent', () => {
    const row = parseRoot(
      { ...GOOD, received_at: '2026-01-01', superseded_at: 1767312000000, key: 'k' },
      NOW,
    );
    expect(row).toMatchObject({ receivedAt: Date.UTC(2026, 0, 1), supersededAt: 1767312000000, keyId: 'k' });
    expect(parseRoot({ ...GOOD, received_at: null, superseded_at: null, key: null }, NOW)).toEqual(
      parseRoot(GOOD, NOW),
    );
  });

  it.each([
    [{ environment: 'prod' }, /^environment: expected production or staging/],
    [{ environment: undefined }, /^environment/],
    [{ tree: 'selfie' }, /^tree: expected one of orb, secure_document, document, device, face/],
    [{ root: `0x${R.toString(16)}` }, /^root: expected .* below the scalar order/],
    [{ root: `0x${(2n ** 256n - 1n).toString(16)}` }, /^root/],
    [{ root: '0x' }, /^root/],
    [{ root: 5 }, /^root/],
    [{ root: undefined }, /^root/],
    [{ received_at: 'yesterday' }, /^received_at: expected whole milliseconds/],
    [{ superseded_at: 1.5 }, /^superseded_at/],
    [{ key: 5 }, /^key/],
  ])('refuses %j', (change, message) => {
    expect(() => parseRoot({ ...GOOD, ...change }, NOW)).toThrow(message);
  });

  it('accepts the largest root', () => {
    expect(parseRoot({ ...GOOD, root: `0x${(R - 1n).toString(16)}` }, NOW).root[0]).toBe(0x30);
  });
});

describe('parseTime', () => {
  it.each([
    [0, 0],
    ['1700000000000', 1_700_000_000_000],
    ['2026-01-15T09:30:00Z', NOW],
    ['2026-01-15T09:30Z', NOW],
    ['2026-01-15T10:30:00.000+01:00', NOW],
    ['2026-01-15', Date.UTC(2026, 0, 15)],
  ])('reads %j', (value, time) => {
    expect(parseTime(value)).toBe(time);
  });

  it.each([
    '',
    '2026-01-15T09:30:00',
    '2026-13-01',
    '15.01.2026',
    -1,
    '-1',
    1.5,
    Number.NaN,
    1e20,
    '99999999999999999',
    true,
    null,
    {},
  ])('refuses %j', (value) => {
    expect(parseTime(value)).toBeUndefined();
  });
});

describe('adding roots', () => {
  it('makes a root current and supersedes the previous one at the time of receipt', async () => {
    await addRoots(store.roots, [parseRoot(GOOD, NOW)], rules());
    await addRoots(store.roots, [parseRoot({ ...GOOD, root: '0x02' }, NOW + 1000)], rules());
    const rows = await store.roots.list();
    expect(rows.map(({ receivedAt, supersededAt }) => [receivedAt, supersededAt])).toEqual([
      [NOW, NOW + 1000],
      [NOW + 1000, null],
    ]);
    expect(await currentRootAges(store.roots, NOW + 61_000)).toEqual([
      { environment: 'production', tree: 'orb', source: 'operator', ageSeconds: 60 },
    ]);
  });

  it.each([
    [{ environment: 'staging' }, 'root.invalid', /tree orb of staging has no verifying key: give .*--key/],
    [{ key: 'nothing' }, 'root.invalid', /no verifying key has the id nothing/],
    [{ key: 'trapdoor-4' }, 'root.invalid', /no verifying key has the id trapdoor-4/],
  ])('refuses a root whose key cannot be used: %j', async (change, code, message) => {
    const adding = addRoots(store.roots, [parseRoot({ ...GOOD, ...change }, NOW)], rules());
    await expect(adding).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await store.roots.list()).toEqual([]);
  });

  it('accepts a root with its own key for a tree without one', async () => {
    const row = parseRoot({ ...GOOD, environment: 'staging', key: 'semaphore-depth30' }, NOW);
    await addRoots(store.roots, [row], rules());
    expect(await store.roots.list()).toEqual([row]);
  });

  it('accepts trapdoor-4 in the profile test', async () => {
    const row = parseRoot({ ...GOOD, key: 'trapdoor-4' }, NOW);
    await addRoots(store.roots, [row], { ...rules(), profile: 'test' });
    expect(await store.roots.list()).toEqual([row]);
  });
});

describe('import and export of roots', () => {
  it('round-trips exported lines', async () => {
    const rows = [
      parseRoot({ ...GOOD, superseded_at: NOW }, NOW - 5000),
      parseRoot({ ...GOOD, root: '0x02', key: 'semaphore-depth20' }, NOW),
      parseRoot({ ...GOOD, tree: 'face', root: '0x03' }, NOW - 1),
    ];
    await addRoots(store.roots, rows, rules());
    const before = await store.roots.list();
    const lines = before.map(rootLine);
    const other = await openTempStore();
    const count = await importRoots(
      other.store.roots,
      linesOf(...lines, ''),
      { ...rules(), store: other.store },
      NOW + 99,
    );
    expect(count).toBe(3);
    expect(await other.store.roots.list()).toEqual(before);
    await other.close();
  });

  const line = (change: object): string => JSON.stringify({ ...GOOD, ...change });
  it.each([
    ['not JSON', '{', /^line 3: expected a JSON object/],
    ['an array', '[]', /^line 3: expected a JSON object/],
    ['a bad root', line({ root: 'zz' }), /^line 3: root: expected/],
    ['an unknown member', line({ received: 1 }), /^line 3: unknown member "received", expected environment,/],
    [
      'a tree without key',
      line({ environment: 'staging' }),
      /^line 3: tree orb of staging has no verifying key/,
    ],
    ['an unknown key', line({ key: 'x' }), /^line 3: key: no verifying key has the id x/],
  ])('names the line and stores nothing: %s', async (_name, bad, message) => {
    const lines = linesOf(line({}), '', bad, line({ root: 'also bad' }));
    await expect(importRoots(store.roots, lines, rules(), NOW)).rejects.toMatchObject({
      code: 'root.invalid',
      message: expect.stringMatching(message),
    });
    expect(await store.roots.list()).toEqual([]);
  });
});

describe('root registry', () => {
  it('finds an added root immediately, and a change by another process within the cache period', async () => {
    let now = NOW;
    const registry = createRootRegistry(store.roots, 5000, () => now);
    const { root } = parseRoot(GOOD, NOW);
    expect(await registry.find('production', 'orb', root)).toBeUndefined();
    await store.roots.put([parseRoot(GOOD, NOW)]);
    expect(await registry.find('production', 'orb', root)).toMatchObject({ supersededAt: null });
    await store.roots.put([parseRoot({ ...GOOD, root: '0x02' }, NOW + 1)]);
    expect(await registry.find('production', 'orb', root)).toMatchObject({ supersededAt: null });
    now += 5001;
    expect(await registry.find('production', 'orb', root)).toMatchObject({ supersededAt: NOW + 1 });
  });

  it('keeps environments and trees separate', async () => {
    const registry = createRootRegistry(store.roots, 5000, () => NOW);
    const { root } = parseRoot(GOOD, NOW);
    await store.roots.put([parseRoot(GOOD, NOW)]);
    expect(await registry.find('staging', 'orb', root)).toBeUndefined();
    expect(await registry.find('production', 'face', root)).toBeUndefined();
    expect(await registry.find('production', 'orb', root)).toBeDefined();
  });
});
