// Rules: spec/refresh.md#rate-limits
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Attempts, createAttempts } from '../../../src/refresh/holder/attempts.ts';
import { type HolderFolder, makeHolderFolder } from './support/holder-folder.ts';

const MINUTE_MS = 60_000;
const PER_MINUTE = 5;

describe('proof attempts of an address', () => {
  let folder: HolderFolder;
  beforeAll(async () => {
    folder = await makeHolderFolder();
  });
  afterAll(() => folder?.remove());

  let address = 0;
  const newAddress = (): string => {
    address += 1;
    return `192.0.2.${address}`;
  };
  const attempts = (perMinute = PER_MINUTE): Attempts =>
    createAttempts({ guards: folder.store.refreshGuards, perMinute, now: folder.now });
  /** Advances the clock to so many milliseconds into the next minute. */
  const goTo = (milliseconds: number): void =>
    folder.advance(MINUTE_MS - (folder.now() % MINUTE_MS) + milliseconds);
  const refusal = async (counter: Attempts, key: string): Promise<unknown> =>
    await counter.count(key).then(
      () => undefined,
      ({ code, details }) => ({ code, ...details }),
    );

  it('are counted up to the limit, and from zero again in the next minute', async () => {
    const [counter, key] = [attempts(), newAddress()];
    goTo(0);
    for (let minute = 0; minute < 3; minute += 1) {
      for (let count = 0; count < PER_MINUTE; count += 1) expect(await refusal(counter, key)).toBeUndefined();
      expect(await refusal(counter, key)).toMatchObject({ code: 'http.rate_limited', check: 8 });
      goTo(0);
    }
  });

  it.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1000, 59],
    [30_500, 30],
    [59_000, 1],
    [59_999, 1],
  ])('that are refused %i ms into a minute have to wait %i s', async (milliseconds, retryAfterSeconds) => {
    const [counter, key] = [attempts(1), newAddress()];
    goTo(milliseconds);
    await counter.count(key);
    expect(await refusal(counter, key)).toMatchObject({ retryAfterSeconds });
    folder.advance(retryAfterSeconds * 1000);
    expect(await refusal(counter, key)).toBeUndefined();
  });

  it('are counted per address', async () => {
    const [counter, one, other] = [attempts(1), newAddress(), newAddress()];
    await counter.count(one);
    expect(await refusal(counter, one)).toBeDefined();
    expect(await refusal(counter, other)).toBeUndefined();
  });

  it('are counted exactly across nodes, however many are concurrent', async () => {
    const store = await folder.openStore();
    const { now } = folder;
    const nodes = [attempts(), createAttempts({ guards: store.refreshGuards, perMinute: PER_MINUTE, now })];
    const key = newAddress();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) => refusal(nodes[index % 2] as Attempts, key)),
    );
    expect(all.filter((one) => one === undefined)).toHaveLength(PER_MINUTE);
  });

  it('are logged once per address, minute and node when refused', async () => {
    const [counter, one, other] = [attempts(1), newAddress(), newAddress()];
    const isFirst = async (key: string): Promise<unknown> =>
      ((await refusal(counter, key)) as { isFirstRefusal?: boolean } | undefined)?.isFirstRefusal;
    for (let minute = 0; minute < 2; minute += 1) {
      goTo(0);
      expect([await isFirst(one), await isFirst(other)]).toEqual([undefined, undefined]);
      expect([await isFirst(one), await isFirst(other)]).toEqual([true, true]);
      expect([await isFirst(one), await isFirst(one), await isFirst(other)]).toEqual([false, false, false]);
    }
  });

  it('of an address that was refused do not query the store again in that minute', async () => {
    const calls: unknown[] = [];
    const guards = {
      countAttempt: async (...call: [string, number, number]) => {
        calls.push(call);
        return false;
      },
    };
    const counter = createAttempts({ guards, perMinute: PER_MINUTE, now: folder.now });
    goTo(0);
    const minute = folder.now() / MINUTE_MS;
    for (let count = 0; count < 3; count += 1) expect(await refusal(counter, 'a')).toBeDefined();
    expect(await refusal(counter, 'b')).toBeDefined();
    goTo(0);
    expect(await refusal(counter, 'a')).toBeDefined();
    expect(calls).toEqual([
      ['a', minute, PER_MINUTE],
      ['b', minute, PER_MINUTE],
      ['a', minute + 1, PER_MINUTE],
    ]);
  });

  it('are remembered as refused and logged for at most 10,000 addresses', async () => {
    let calls = 0;
    const guards = {
      countAttempt: async () => {
        calls += 1;
        return false;
      },
    };
    const counter = createAttempts({ guards, perMinute: 1, now: folder.now });
    const firsts: unknown[] = [];
    for (let index = 0; index < 10_100; index += 1) {
      firsts.push(((await refusal(counter, `key ${index}`)) as { isFirstRefusal: boolean }).isFirstRefusal);
    }
    expect(firsts.filter((isFirst) => isFirst)).toHaveLength(10_000);
    expect(calls).toBe(10_100);
    expect(await refusal(counter, 'key 0')).toBeDefined();
    expect(calls).toBe(10_100);
    expect(await refusal(counter, 'key 10050')).toBeDefined();
    expect(calls).toBe(10_101);
  });

  it('are not counted at all with a limit of 0', async () => {
    const guards = {
      countAttempt: () => Promise.reject(new Error('the store was queried')),
    };
    const counter = createAttempts({ guards, perMinute: 0, now: folder.now });
    for (let count = 0; count < 100; count += 1) await counter.count('a');
  });

  it('are refused while the store is unreachable', async () => {
    const store = await folder.openStore();
    await store.close();
    const counter = createAttempts({ guards: store.refreshGuards, perMinute: 1, now: folder.now });
    expect(await refusal(counter, newAddress())).toMatchObject({ code: 'store.unreachable' });
  });
});
