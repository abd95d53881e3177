// Rules: spec/roots.md#misses
import { describe, expect, it } from 'vitest';
import {
  createRootMisses,
  type MissResult,
  type RootMissesOptions,
  treeKey,
} from '../../../src/membership/sources/root-misses.ts';
import type { RootRow } from '../../../src/storage/roots.ts';

const NOW = 1_700_000_000_000;
const UNKNOWN_MS = 2000;

function rootOf(value: number): Uint8Array {
  return new Uint8Array(32).fill(value);
}

/** A source whose answers come when the test says so. */
function setUp(options: Partial<RootMissesOptions> = {}) {
  const clock = { now: NOW };
  const known = new Set<string>();
  const asked: string[] = [];
  const results: MissResult[] = [];
  const answers: (() => void)[] = [];
  const keyOf = (root: Uint8Array): string => Buffer.from(root).toString('hex');
  const misses = createRootMisses({
    seekers: new Map([
      [
        treeKey('staging', 'account'),
        {
          id: 'source',
          lookFor(root) {
            asked.push(keyOf(root));
            return new Promise<void>((resolve) => answers.push(resolve));
          },
        },
      ],
    ]),
    roots: {
      find: async (environment, tree, root): Promise<RootRow | undefined> =>
        known.has(keyOf(root))
          ? {
              environment,
              tree,
              root,
              receivedAt: NOW,
              supersededAt: null,
              source: 'source',
              keyId: null,
            }
          : undefined,
    },
    waitMs: 60_000,
    maxWaiting: 3,
    now: () => clock.now,
    onResult: (id, result) => {
      expect(id).toBe('source');
      results.push(result);
    },
    ...options,
  });
  const find = (value: number): Promise<RootRow | undefined> =>
    misses.find('staging', 'account', rootOf(value));
  return {
    misses,
    clock,
    asked,
    results,
    find,
    learn: (value: number) => known.add(keyOf(rootOf(value))),
    answer: () => {
      for (const resolve of answers.splice(0)) resolve();
    },
  };
}

describe('a miss', () => {
  it('returns the row that the source has found', async () => {
    const { find, learn, answer, results } = setUp();
    const row = find(1);
    learn(1);
    answer();
    expect((await row)?.root).toEqual(rootOf(1));
    expect(results).toEqual(['found']);
  });

  it('of a root that stays unknown is not asked for again within 2 s', async () => {
    const { find, learn, answer, asked, results, clock } = setUp();
    const first = find(1);
    answer();
    expect(await first).toBeUndefined();
    learn(1);
    clock.now += UNKNOWN_MS - 1;
    expect(await find(1)).toBeUndefined();
    expect(asked).toHaveLength(1);
    clock.now += 1;
    const again = find(1);
    answer();
    expect((await again)?.root).toEqual(rootOf(1));
    expect(results).toEqual(['unknown', 'found']);
  });

  it('ends after the longest wait, and may be asked for again at once', async () => {
    const { find, asked, results } = setUp({ waitMs: 1 });
    expect(await find(1)).toBeUndefined();
    expect(await find(1)).toBeUndefined();
    expect(asked).toHaveLength(2);
    expect(results).toEqual(['timeout', 'timeout']);
  });

  it('that timed out returns a row which another node has written meanwhile', async () => {
    const { find, learn, results } = setUp({ waitMs: 1 });
    learn(1);
    expect((await find(1))?.root).toEqual(rootOf(1));
    expect(results).toEqual(['found']);
  });

  it('is refused while as many requests wait as may', async () => {
    const { find, answer, asked, results } = setUp();
    const waiting = [find(1), find(2), find(3)];
    expect(await find(4)).toBeUndefined();
    expect(results).toEqual(['refused']);
    answer();
    await Promise.all(waiting);
    expect(asked).toHaveLength(3);
    // A refused root was not asked for, so it is not remembered as unknown.
    const late = find(4);
    answer();
    await late;
    expect(asked).toHaveLength(4);
  });

  it('asks nobody with a wait of 0, or for a tree without a source', async () => {
    const off = setUp({ waitMs: 0 });
    expect(off.misses.has('staging', 'account')).toBe(false);
    expect(await off.find(1)).toBeUndefined();
    const { misses, asked } = setUp();
    expect(misses.has('staging', 'account')).toBe(true);
    expect(misses.has('production', 'account')).toBe(false);
    expect(await misses.find('production', 'account', rootOf(1))).toBeUndefined();
    expect([...off.asked, ...asked]).toEqual([]);
  });
});
