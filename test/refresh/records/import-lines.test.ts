// Rules: spec/refresh.md#imports
import { EventEmitter, once } from 'node:events';
import { addAbortSignal, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { importEnrolments } from '../../../src/refresh/records/enrolments.ts';
import type { ImportObserver, RefusedLine } from '../../../src/refresh/records/import-lines.ts';
import type {
  EnrolmentOutcome,
  EnrolmentRow,
  EnrolmentStore,
} from '../../../src/storage/refresh/enrolments.ts';
import { RUNS_ALL } from '../../support/cases.ts';

const NOW = 1_800_000_000_000;
const OPTIONS = { replaces: false, isDryRun: false };

function lineOf(index: number): string {
  return `{"id_comm":"0x${index.toString(16)}","signup_id":"signup_${index}","orb_id":"orb","enrolled_at":${index}}\n`;
}

/** Makes a store that only answers and records the sizes of its transactions. */
function fakeStore(answer: (row: EnrolmentRow) => EnrolmentOutcome | Promise<never> = () => 'added'): {
  readonly store: EnrolmentStore;
  readonly sizes: number[];
} {
  const sizes: number[] = [];
  const absent = (): Promise<never> => Promise.reject(new Error('expected only imports'));
  const store: EnrolmentStore = {
    find: absent,
    page: async () => [],
    revoke: absent,
    import: async (rows) => {
      sizes.push(rows.length);
      return await Promise.all(rows.map(answer));
    },
  };
  return { store, sizes };
}

function observerOf(changes: Partial<ImportObserver> = {}): {
  readonly observer: ImportObserver;
  readonly refused: RefusedLine[];
} {
  const refused: RefusedLine[] = [];
  const observer: ImportObserver = {
    refuse: async (line) => {
      refused.push(line);
    },
    reportProgress: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  };
  return { observer, refused };
}

function* generated(from: number, to: number): Generator<Buffer> {
  for (let index = from; index <= to; index++) yield Buffer.from(lineOf(index));
}

describe('an import of JSON Lines', () => {
  it('stores 1,000 lines per transaction and reports its progress', async () => {
    const { store, sizes } = fakeStore();
    const reached: number[] = [];
    const { observer } = observerOf({ reportProgress: (lines) => reached.push(lines) });
    const result = await importEnrolments(Readable.from(generated(1, 2500)), store, OPTIONS, NOW, observer);
    expect(result).toEqual({ added: 2500, updated: 0, unchanged: 0, refused: 0, isInterrupted: false });
    expect(sizes).toEqual([1000, 1000, 500]);
    expect(reached).toEqual([1000, 2000, 2500]);
  });

  it('reports refused lines of parser and store in the order of the lines, and stores the others', async () => {
    const { store } = fakeStore(({ enrolledAt }) =>
      enrolledAt === 4000 ? 'signup_taken' : enrolledAt === 7000 ? 'conflict' : 'updated',
    );
    const { observer, refused } = observerOf();
    const long = `{"orb_id":"${'x'.repeat(16_384)}"}\n`;
    const text = [lineOf(1), 'x\n', '\n', lineOf(4), long, '  \r\n', lineOf(7), '[]'].join('');
    const result = await importEnrolments(Readable.from([Buffer.from(text)]), store, OPTIONS, NOW, observer);
    expect(result).toEqual({ added: 0, updated: 1, unchanged: 0, refused: 5, isInterrupted: false });
    expect(refused.map(({ line, code }) => [line, code])).toEqual([
      [2, 'not_json'],
      [4, 'signup_taken'],
      [5, 'line_too_long'],
      [7, 'conflict'],
      [8, 'not_json'],
    ]);
  });

  it('accepts a line of up to 16 KiB', async () => {
    const { store } = fakeStore();
    const { observer, refused } = observerOf();
    const line = lineOf(1).trimEnd();
    const padded = line.padEnd(16_384);
    await importEnrolments(Readable.from([`${padded}\n${padded} \n`]), store, OPTIONS, NOW, observer);
    expect(refused.map(({ line: number, code }) => [number, code])).toEqual([[2, 'line_too_long']]);
  });

  it('refuses bytes that are not UTF-8 instead of storing a different text', async () => {
    const { store } = fakeStore();
    const { observer, refused } = observerOf();
    const bytes = Buffer.from(lineOf(1).replace('"orb"', '"orb\xff"'), 'latin1');
    const result = await importEnrolments(Readable.from([bytes]), store, OPTIONS, NOW, observer);
    expect(result.added).toBe(0);
    expect(refused).toEqual([{ line: 1, code: 'not_json', message: 'expected UTF-8' }]);
  });

  it('waits until a refused line is consumed', async () => {
    const { store, sizes } = fakeStore();
    const gate = new EventEmitter();
    const called = once(gate, 'called');
    const { observer } = observerOf({
      refuse: async () => {
        gate.emit('called');
        await once(gate, 'release');
      },
    });
    const chunks = Readable.from(['x\n', ...generated(1, 1999)]);
    const running = importEnrolments(chunks, store, OPTIONS, NOW, observer);
    await called;
    await new Promise(setImmediate);
    expect(sizes).toEqual([999]);
    gate.emit('release');
    expect((await running).added).toBe(1999);
  });

  it('ends before its next transaction when the signal fires, and reports what was done', async () => {
    const { store, sizes } = fakeStore();
    const abort = new AbortController();
    const { observer } = observerOf({
      signal: abort.signal,
      reportProgress: (lines) => {
        if (lines === 2000) abort.abort();
      },
    });
    const chunks = addAbortSignal(abort.signal, Readable.from(generated(1, 10_000)));
    const result = await importEnrolments(chunks, store, OPTIONS, NOW, observer);
    expect(result).toEqual({ added: 2000, updated: 0, unchanged: 0, refused: 0, isInterrupted: true });
    expect(sizes).toEqual([1000, 1000]);
  });

  it('does not hide a failure of the store behind the signal', async () => {
    const abort = new AbortController();
    const { store } = fakeStore(() => {
      abort.abort();
      return Promise.reject(new Error('disk full'));
    });
    const { observer } = observerOf({ signal: abort.signal });
    await expect(
      importEnrolments(Readable.from(generated(1, 10)), store, OPTIONS, NOW, observer),
    ).rejects.toThrow('disk full');
  });

  if (RUNS_ALL) {
    it('uses no more memory for 100,000 lines than for 10,000', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const heap = new Map<number, number>();
      const { store } = fakeStore();
      const { observer } = observerOf({
        refuse: () => Promise.resolve(),
        reportProgress: (lines) => {
          if (lines !== 10_000 && lines !== 100_000) return;
          collect();
          heap.set(lines, process.memoryUsage().heapUsed + process.memoryUsage().external);
        },
      });
      function* mixed(): Generator<Buffer> {
        for (let index = 1; index <= 50_000; index++)
          yield Buffer.from(`${lineOf(index)}{"unknown":"${index}"}\n`);
      }
      const result = await importEnrolments(Readable.from(mixed()), store, OPTIONS, NOW, observer);
      expect(result).toMatchObject({ added: 50_000, refused: 50_000 });
      const grown = (heap.get(100_000) ?? Number.NaN) - (heap.get(10_000) ?? Number.NaN);
      // 40 bytes for each of the 90,000 lines; a line that is kept takes more
      expect(grown).toBeLessThan(90_000 * 40);
    });
  }
});
