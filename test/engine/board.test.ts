import { describe, expect, it } from 'vitest';
import { Board, type Tray } from '../../src/engine/board.ts';
import { BoardThread, type TakenBatch } from '../../src/engine/board-thread.ts';
import type { KeyReference } from '../../src/engine/task.ts';

const KEY: KeyReference = { id: 3, source: 4_000_000_000 };

const row = (inputCount: number, value: number): Uint8Array =>
  new Uint8Array(256 + 32 * inputCount).fill(value);

function laidOut(board: Board, values: readonly number[], inputCount = 4, key = KEY): Tray {
  const tray = board.take(key, inputCount, false) as Tray;
  for (const [index, value] of values.entries()) tray.put(index, row(inputCount, value));
  tray.open(values.length);
  return tray;
}

const valuesOf = ({ batch, count }: TakenBatch): number[] =>
  Array.from({ length: count }, (_, index) => batch[(index * batch.length) / count] as number);

describe('the board of the engine', () => {
  it('carries proofs to a thread and the verdicts back', () => {
    const board = new Board(2, 64);
    const tray = laidOut(board, [1, 2, 3]);
    const thread = new BoardThread(board.setup, 9);
    const taken = thread.take() as TakenBatch;
    expect(taken).toMatchObject({ count: 3, keyId: 3, key: 4_000_000_000 });
    expect(taken.batch).toEqual(new Uint8Array(Buffer.concat([row(4, 1), row(4, 2), row(4, 3)])));
    expect([tray.state, tray.holder]).toEqual(['taken', 9]);
    thread.answer(taken, Uint8Array.of(1, 2, 7), 1.5);
    expect([tray.state, tray.holder, tray.runMs]).toEqual(['done', undefined, 1.5]);
    expect([0, 1, 2].map((index) => tray.verdictByte(index))).toEqual([1, 2, 7]);
  });

  it('reads byte 0 as no verdict', () => {
    const board = new Board(1, 64);
    const tray = laidOut(board, [1, 2]);
    const thread = new BoardThread(board.setup, 9);
    thread.answer(thread.take() as TakenBatch, Uint8Array.of(0, 1), 1);
    expect([0, 1].map((index) => tray.verdictByte(index))).toEqual([undefined, 1]);
  });

  it('carries the bytes of a key that each thread prepares itself', () => {
    const source = new SharedArrayBuffer(768);
    new Uint8Array(source).fill(5);
    const board = new Board(1, 8);
    laidOut(board, [1], 4, { id: 8, source });
    const taken = new BoardThread(board.setup, 9).take();
    expect(taken).toMatchObject({ keyId: 8, key: new Uint8Array(768).fill(5) });
    expect(taken?.batch).toEqual(row(4, 1));
  });

  it('says of each batch anew whether its proofs are to be combined', () => {
    const board = new Board(1, 8);
    const thread = new BoardThread(board.setup, 9);
    for (const singly of [true, false, true]) {
      const tray = board.take(KEY, 4, singly) as Tray;
      tray.put(0, row(4, 1));
      tray.open(1);
      expect(thread.take()?.singly).toBe(singly);
      board.giveBack(tray);
    }
  });

  it('copies the bytes once: later changes of shared memory do not reach the thread', () => {
    const board = new Board(1, 8);
    laidOut(board, [7]);
    const taken = new BoardThread(board.setup, 9).take();
    new Uint8Array(board.setup.buffer).fill(1);
    expect(taken?.batch).toEqual(row(4, 7));
  });

  it('gives each tray to one thread, in the order in which they were laid out', () => {
    const board = new Board(2, 4);
    const first = laidOut(board, [1]);
    for (const value of [2, 3]) laidOut(board, [value]);
    const threads = [5, 6, 7].map((id) => new BoardThread(board.setup, id));
    expect(threads.slice(0, 2).map((thread) => valuesOf(thread.take() as TakenBatch))).toEqual([[1], [2]]);
    board.giveBack(first);
    // the tray of the first is free again, and comes after what was laid out before
    laidOut(board, [4]);
    expect(threads.map((thread) => thread.take()).map((taken) => taken && valuesOf(taken))).toEqual([
      [3],
      [4],
      undefined,
    ]);
  });

  it('lets proofs join a batch until a thread takes it, and not afterwards', () => {
    const board = new Board(1, 8);
    const tray = laidOut(board, [1, 2]);
    tray.put(2, row(4, 3));
    expect(tray.extend(2, 3)).toBe(true);
    expect(valuesOf(new BoardThread(board.setup, 9).take() as TakenBatch)).toEqual([1, 2, 3]);
    tray.put(3, row(4, 4));
    expect([tray.extend(3, 4), tray.withdraw(3), tray.state]).toEqual([false, false, 'taken']);
  });

  it('takes back what no thread has begun', () => {
    const board = new Board(1, 8);
    const tray = laidOut(board, [1, 2]);
    expect([tray.withdraw(1), tray.withdraw(2)]).toEqual([false, true]);
    expect(new BoardThread(board.setup, 9).take()).toBeUndefined();
  });

  it('drops a late verdict when the tray serves another batch', () => {
    const board = new Board(1, 8);
    const tray = laidOut(board, [1]);
    const thread = new BoardThread(board.setup, 9);
    const late = thread.take() as TakenBatch;
    board.giveBack(tray);
    const again = laidOut(board, [2]);
    expect(again).toBe(tray);
    thread.answer(late, Uint8Array.of(1), 1);
    expect(again.verdictByte(0)).toBeUndefined();
  });

  it('refuses a number of verdicts that is not the number of proofs', () => {
    const board = new Board(1, 8);
    const tray = laidOut(board, [1]);
    const thread = new BoardThread(board.setup, 9);
    const taken = thread.take() as TakenBatch;
    expect(() => thread.answer(taken, Uint8Array.of(1, 1), 1)).toThrow('1 proofs got 2 verdicts');
    expect([tray.state, tray.verdictByte(0)]).toEqual(['taken', undefined]);
  });

  it('tells what a batch ended with when nothing is known of its proofs', () => {
    const board = new Board(1, 8);
    const tray = laidOut(board, [1, 2]);
    const thread = new BoardThread(board.setup, 9);
    thread.fail(thread.take() as TakenBatch, `unreachable at ${'x'.repeat(1000)}`);
    expect([tray.state, tray.fault.slice(0, 15), tray.fault.length]).toEqual([
      'faulty',
      'unreachable at ',
      256,
    ]);
    expect(tray.verdictByte(0)).toBeUndefined();
  });

  it('has room for a full batch under usual keys, and for one proof under the largest', () => {
    for (const maxBatch of [1, 8, 64, 4096]) {
      const board = new Board(1, maxBatch);
      expect(board.roomFor(4)).toBe(maxBatch);
      const most = board.roomFor(1024);
      expect(most).toBeGreaterThan(0);
      const values = Array.from({ length: most }, (_, index) => index % 200);
      const trays = [laidOut(board, values, 1024), laidOut(board, [201], 1024)];
      const thread = new BoardThread(board.setup, 9);
      expect(valuesOf(thread.take() as TakenBatch)).toEqual(values);
      expect(valuesOf(thread.take() as TakenBatch)).toEqual([201]);
      expect(trays.map(({ state }) => state)).toEqual(['taken', 'taken']);
    }
  });

  it('has no tray when all are in use', () => {
    const board = new Board(1, 8);
    const trays = Array.from({ length: board.setup.trays }, () => laidOut(board, [1]));
    expect(board.take(KEY, 4, false)).toBeUndefined();
    board.giveBack(trays[1] as Tray);
    expect(board.take(KEY, 4, false)).toBe(trays[1]);
  });

  it('is told of answers once, until it looks', () => {
    const board = new Board(2, 8);
    const threads = [5, 6].map((id) => new BoardThread(board.setup, id));
    board.listen();
    expect(threads.map((thread) => thread.ring())).toEqual([true, false]);
    board.listen();
    expect(threads.map((thread) => thread.ring())).toEqual([true, false]);
  });

  it('calls one thread back, unless it takes the call back before', () => {
    const board = new Board(2, 8);
    const threads = [5, 6].map((id) => new BoardThread(board.setup, id));
    board.call();
    board.call();
    expect(threads.map((thread) => thread.isCalled())).toEqual([true, false]);
    board.call();
    board.uncall();
    expect(threads.map((thread) => thread.isCalled())).toEqual([false, false]);
  });

  it('lets a thread sleep only when nothing was announced since it looked', () => {
    const board = new Board(1, 8);
    const thread = new BoardThread(board.setup, 9);
    const { published } = thread;
    expect(thread.wait(published, 1)).toBe(false);
    board.announce(1);
    expect(thread.wait(published, 60_000)).toBe(true);
    const next = thread.published;
    board.call();
    expect(thread.wait(next, 60_000)).toBe(true);
  });
});
