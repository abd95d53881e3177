// Rules: spec/operations.md#connections-and-memory
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inPollPhase } from '../../../src/http/exchange/poll-phase.ts';
import { type UnfinishedBound, UnfinishedExchange } from '../../../src/http/limits/unfinished-exchange.ts';
import { UnfinishedExchanges, type UnfinishedLimits } from '../../../src/http/limits/unfinished-exchanges.ts';
import { casesOf } from '../../support/cases.ts';

const NO_LIMITS: UnfinishedLimits = {
  maxUnfinished: 1e6,
  maxUnfinishedPerAddress: 1e6,
  maxBodyBytes: 1e9,
  maxBodyBytesPerAddress: 1e9,
};

class FakeExchange extends UnfinishedExchange {
  readonly address: string;
  readonly name: string;
  readonly onEnd: (exchange: FakeExchange, bound: UnfinishedBound) => void;
  isAddressRead = false;

  constructor(name: string, address: string, onEnd: FakeExchange['onEnd']) {
    super();
    this.name = name;
    this.address = address;
    this.onEnd = onEnd;
  }

  get clientKey(): string {
    this.isAddressRead = true;
    return this.address;
  }

  endEarly(bound: UnfinishedBound): void {
    this.onEnd(this, bound);
  }

  expire(): void {}
}

interface World {
  readonly unfinished: UnfinishedExchanges;
  /** Names of ended exchanges with the bound, in order. */
  readonly ended: string[];
  readonly causes: boolean[];
  add(name: string, address: string): FakeExchange;
}

function worldOf(limits: Partial<UnfinishedLimits>): World {
  const ended: string[] = [];
  const causes: boolean[] = [];
  const unfinished = new UnfinishedExchanges(
    { ...NO_LIMITS, ...limits },
    { endedEarly: (_bound, isByAllClients) => causes.push(isByAllClients) },
  );
  return {
    unfinished,
    ended,
    causes,
    add(name, address) {
      const exchange = new FakeExchange(name, address, (self, bound) => ended.push(`${self.name} ${bound}`));
      unfinished.add(exchange);
      return exchange;
    },
  };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => inPollPhase(resolve));

describe('the number of unfinished exchanges', () => {
  it('ends the oldest exchange of the address that has the most, never that of another address', async () => {
    const { add, ended, unfinished } = worldOf({ maxUnfinished: 5 });
    add('honest', 'h');
    for (const n of [1, 2, 3, 4, 5, 6]) add(`a${n}`, 'a');
    await endOfTurn();
    expect(ended).toEqual(['a1 count', 'a2 count']);
    expect(unfinished.size).toBe(5);
    for (const n of [7, 8, 9]) add(`a${n}`, 'a');
    await endOfTurn();
    expect(ended.slice(2)).toEqual(['a3 count', 'a4 count', 'a5 count']);
  });

  it('ends the oldest exchange of an address beyond the bound per address, even when there is room', async () => {
    const { add, ended } = worldOf({ maxUnfinishedPerAddress: 2 });
    add('honest', 'h');
    for (const n of [1, 2, 3, 4]) add(`a${n}`, 'a');
    await endOfTurn();
    expect(ended).toEqual(['a1 address_count', 'a2 address_count']);
  });

  it('alternates between addresses with equal counts, the one that has had them longest first', async () => {
    const { add, ended } = worldOf({ maxUnfinished: 4 });
    for (const n of [1, 2]) add(`a${n}`, 'a');
    for (const n of [1, 2]) add(`b${n}`, 'b');
    add('c1', 'c');
    await endOfTurn();
    add('c2', 'c');
    await endOfTurn();
    expect(ended).toEqual(['a1 count', 'b1 count']);
  });

  it('reads no address while there are few exchanges, or when they are complete by the end of the turn', async () => {
    const { add, unfinished, ended } = worldOf({ maxUnfinished: 4, maxUnfinishedPerAddress: 3 });
    const few = [add('a1', 'a'), add('a2', 'a'), add('a3', 'a')];
    await endOfTurn();
    expect(few.map((exchange) => exchange.isAddressRead)).toEqual([false, false, false]);
    const whole = Array.from({ length: 20 }, (_, n) => add(`b${n}`, 'b'));
    for (const exchange of whole) unfinished.delete(exchange);
    await endOfTurn();
    expect(whole.filter((exchange) => exchange.isAddressRead)).toEqual([]);
    expect(ended).toEqual([]);
  });
});

describe('the memory for bodies', () => {
  it('immediately ends the oldest unfinished body of the address that uses the most', () => {
    const { add, ended, unfinished } = worldOf({ maxBodyBytes: 100 });
    const honest = add('honest', 'h');
    expect(unfinished.take(honest, 20)).toBe(true);
    const [one, two, three] = ['a1', 'a2', 'a3'].map((name) => add(name, 'a'));
    if (!one || !two || !three) throw new Error('three were added');
    expect(unfinished.take(one, 40)).toBe(true);
    expect(unfinished.take(two, 40)).toBe(true);
    expect(ended).toEqual([]);
    expect(unfinished.take(three, 30)).toBe(true);
    expect(ended).toEqual(['a1 bytes']);
    expect(unfinished.bodyBytes).toBe(90);
  });

  it('ends the exchange that needs more when it is the only one of its address', () => {
    const { add, ended, unfinished } = worldOf({ maxBodyBytesPerAddress: 50 });
    const honest = add('honest', 'h');
    unfinished.take(honest, 50);
    const overLimit = add('over-limit', 'a');
    expect(unfinished.take(overLimit, 51)).toBe(false);
    expect(ended).toEqual(['over-limit address_bytes']);
    expect(unfinished.bodyBytes).toBe(50);
  });

  it('counts bodies that are being served, and ends an unfinished one of another address when there is no other', () => {
    const { add, ended, unfinished } = worldOf({ maxBodyBytes: 100 });
    const served = add('served', 's');
    unfinished.take(served, 80);
    unfinished.delete(served);
    const waiting = add('waiting', 'w');
    expect(unfinished.take(waiting, 30)).toBe(false);
    expect(ended).toEqual(['waiting bytes']);
    unfinished.release(served);
    expect(unfinished.bodyBytes).toBe(0);
  });

  it.each([
    [
      'per address, when the address has no unfinished body',
      { maxBodyBytesPerAddress: 50 },
      40,
      'address_bytes',
    ],
    ['in total, before any body of an address that uses less', { maxBodyBytes: 100 }, 60, 'bytes'],
  ])('ends the body whose last chunk exceeds the bound %s', (_, limits, bytes, bound) => {
    const { add, ended, unfinished } = worldOf(limits);
    const bystander = add('bystander', 'b');
    unfinished.take(bystander, 10);
    const first = add('a1', 'a');
    const second = add('a2', 'a');
    unfinished.delete(first);
    unfinished.delete(second);
    expect(unfinished.take(first, bytes)).toBe(true);
    expect(unfinished.take(second, bytes)).toBe(false);
    expect(ended).toEqual([`a2 ${bound}`]);
    expect(unfinished.bodyBytes).toBe(10 + bytes);
  });

  it('skips bodies that use no memory yet', () => {
    const { add, ended, unfinished } = worldOf({ maxBodyBytes: 100 });
    add('empty', 'a');
    const large = add('large', 'a');
    unfinished.take(large, 60);
    const next = add('next', 'b');
    unfinished.take(next, 50);
    expect(ended).toEqual(['large bytes']);
  });

  it('is reported as used up by everybody only when no single address uses much', () => {
    const { add, causes, unfinished } = worldOf({ maxBodyBytes: 1000 });
    for (let n = 0; n < 21; n++) unfinished.take(add(`b${n}`, `address ${n}`), 50);
    expect(causes).toEqual([true]);
    unfinished.take(add('a', 'one'), 400);
    expect(causes.slice(1)).not.toContain(true);
  });
});

it('the counts equal those of a plain model for any sequence of operations', async () => {
  const address = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), address }),
    fc.record({
      kind: fc.constantFrom('delete' as const, 'release' as const, 'add again' as const),
      index: fc.nat(30),
    }),
    fc.record({
      kind: fc.constant('take' as const),
      index: fc.nat(30),
      bytes: fc.integer({ min: 1, max: 60 }),
    }),
    fc.record({ kind: fc.constant('turn' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const limits = {
        maxUnfinished: 6,
        maxUnfinishedPerAddress: 4,
        maxBodyBytes: 200,
        maxBodyBytesPerAddress: 120,
      };
      const unfinished = new UnfinishedExchanges(limits, { endedEarly() {} });
      const all: FakeExchange[] = [];
      const waiting = new Set<FakeExchange>();
      const bytes = new Map<FakeExchange, number>();
      const onEnd = (exchange: FakeExchange): void => {
        waiting.delete(exchange);
        bytes.delete(exchange);
      };
      for (const each of steps) {
        if (each.kind === 'add') {
          const exchange = new FakeExchange(String(all.length), each.address, onEnd);
          all.push(exchange);
          waiting.add(exchange);
          unfinished.add(exchange);
        } else if (each.kind === 'turn') await endOfTurn();
        else {
          const exchange = all[each.index];
          if (exchange === undefined) continue;
          if (each.kind === 'delete') {
            waiting.delete(exchange);
            unfinished.delete(exchange);
          } else if (each.kind === 'release') {
            bytes.delete(exchange);
            unfinished.release(exchange);
          } else if (each.kind === 'add again' && !waiting.has(exchange)) {
            waiting.add(exchange);
            unfinished.add(exchange);
          } else if (each.kind === 'take' && waiting.has(exchange)) {
            bytes.set(exchange, (bytes.get(exchange) ?? 0) + each.bytes);
            expect(unfinished.take(exchange, each.bytes)).toBe(bytes.has(exchange));
          }
        }
        const total = [...bytes.values()].reduce((sum, n) => sum + n, 0);
        expect([unfinished.size, unfinished.bodyBytes]).toEqual([waiting.size, total]);
      }
      await endOfTurn();
      expect(waiting.size).toBeLessThanOrEqual(limits.maxUnfinished);
      for (const key of ['a', 'b', 'c']) {
        const own = [...waiting].filter((exchange) => exchange.address === key);
        expect(own.length).toBeLessThanOrEqual(limits.maxUnfinishedPerAddress);
      }
    }),
    { numRuns: casesOf(300, 60) },
  );
});
