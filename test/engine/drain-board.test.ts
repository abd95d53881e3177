import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/engine/backends/backend.ts';
import { Board, type Tray } from '../../src/engine/board.ts';
import { BoardThread } from '../../src/engine/board-thread.ts';
import { drainBoard } from '../../src/engine/drain-board.ts';
import { Performer } from '../../src/engine/perform.ts';
import { numberOf, rowOf } from './support/proof-bench.ts';

const KEY = { id: 1, source: 7 };

class Bench {
  readonly board = new Board(1, 4);
  readonly seen: number[] = [];
  readonly events: string[] = [];
  readonly seeds: Uint8Array[] = [];
  renewals = 0;
  /** Called with the number of the first proof of each batch. */
  onBatch: (value: number) => void = () => undefined;
  readonly #performer: Performer;

  constructor() {
    const backend = {
      kind: 'native',
      instance: 0,
      functions: {
        verifyBatch: (_handle: number, batch: Uint8Array, seed: Uint8Array) => {
          const value = numberOf(batch);
          this.seen.push(value);
          this.seeds.push(seed.slice());
          this.onBatch(value);
          return new Uint8Array(batch.length / 256).fill(1);
        },
        verifyEach: (_handle: number, batch: Uint8Array) => {
          this.seen.push(numberOf(batch));
          return new Uint8Array(batch.length / 256).fill(1);
        },
      },
      renew: async () => {
        await Promise.resolve();
        this.renewals += 1;
      },
    };
    this.#performer = new Performer(backend as unknown as Backend);
  }

  layOut(value: number, singly = false): Tray {
    const tray = this.board.take(KEY, 0, singly) as Tray;
    tray.put(0, rowOf(value));
    tray.open(1);
    this.board.announce(1);
    return tray;
  }

  drain(lingerMs = 0): Promise<void> {
    return drainBoard(new BoardThread(this.board.setup, 9), this.#performer, {
      lingerMs,
      ready: () => undefined,
      ring: () => this.events.push('ring'),
    });
  }
}

describe('a thread that drains the board', () => {
  it('takes what is open, tells of answers once until it is heard, and comes back', async () => {
    const bench = new Bench();
    const trays = [1, 2, 3].map((value) => bench.layOut(value));
    await bench.drain();
    expect([bench.seen, bench.events]).toEqual([[1, 2, 3], ['ring']]);
    expect(trays.map((tray) => [tray.state, tray.verdictByte(0)])).toEqual(trays.map(() => ['done', 1]));
  });

  it('takes what is laid out while it works, without coming back', async () => {
    const bench = new Bench();
    bench.layOut(1);
    bench.onBatch = (value) => {
      if (value < 5) bench.layOut(value + 1);
    };
    await bench.drain();
    expect(bench.seen).toEqual([1, 2, 3, 4]);
  });

  it('comes back when it is called, but with a batch done that lay open', async () => {
    const bench = new Bench();
    for (const value of [1, 2]) bench.layOut(value);
    bench.board.call();
    await bench.drain(60_000);
    expect(bench.seen).toEqual([1]);
    await bench.drain();
    expect(bench.seen).toEqual([1, 2]);
    bench.board.call();
    await bench.drain(60_000);
    expect(bench.seen).toEqual([1, 2]);
  });

  it('draws a seed for each batch, and combines none where many are expected to be bad', async () => {
    const bench = new Bench();
    for (const [index, singly] of [false, true, false].entries()) bench.layOut(index, singly);
    await bench.drain();
    expect(bench.seen).toEqual([0, 1, 2]);
    const [first, second] = bench.seeds;
    expect(bench.seeds.map(({ length }) => length)).toEqual([32, 32]);
    expect(first).not.toEqual(second);
  });

  it('goes on after a fault, with the backend made anew', async () => {
    const bench = new Bench();
    const trays = [1, 2].map((value) => bench.layOut(value));
    bench.onBatch = (value) => {
      if (value === 1) throw new Error('unreachable');
    };
    await bench.drain();
    expect(trays.map(({ state }) => state)).toEqual(['faulty', 'done']);
    expect([trays[0]?.fault, bench.renewals]).toEqual(['unreachable', 1]);
  });
});
