// Rules: spec/operations.md#diagnosis
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileProgress, taskProgress } from '../../../src/cli/output/progress.ts';

const TOTAL_SECONDS = 100;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

function output(isTerminal: boolean): { readonly stderr: PassThrough; readonly written: () => string } {
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal });
  let text = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { stderr, written: () => text };
}

describe('progress of a task of known length', () => {
  it('is one line per second without a terminal', async () => {
    const { stderr, written } = output(false);
    const progress = taskProgress(TOTAL_SECONDS, { stderr, now: Date.now });
    progress.reach({ seconds: 0, nextSeconds: 10, what: 'compiling' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(written()).toBe('1 %, compiling, 1:39 left\n2 %, compiling, 1:38 left\n');
    progress.end();
  });

  it('estimates the remaining time from the speed so far', async () => {
    const { stderr, written } = output(false);
    const progress = taskProgress(TOTAL_SECONDS, { stderr, now: Date.now });
    progress.reach({ seconds: 0, nextSeconds: 10, what: 'compiling' });
    await vi.advanceTimersByTimeAsync(20_500);
    progress.reach({ seconds: 10, nextSeconds: 60, what: 'proving' });
    await vi.advanceTimersByTimeAsync(10_250);
    // 10 of 100 took 20.5 s, so 5 more take 10.25 s; the last line was printed at 30 s
    expect(written().split('\n').at(-2)).toBe('14 %, proving, 2:55 left');
    progress.end();
  });

  it('stops at the next mark until it is reached, and never shows 100 % before the end', async () => {
    const { stderr, written } = output(false);
    const progress = taskProgress(TOTAL_SECONDS, { stderr, now: Date.now });
    progress.reach({ seconds: 0, nextSeconds: 10, what: 'compiling' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written().split('\n').at(-2)).toBe('10 %, compiling, 1:30 left');
    progress.reach({ seconds: 90, nextSeconds: 100, what: 'writing' });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(written().split('\n').at(-2)).toBe('99 %, writing, 0:00 left');
    progress.end();
  });

  it('is a bar on a terminal, redrawn in place and erased at the end', async () => {
    const { stderr, written } = output(true);
    const progress = taskProgress(TOTAL_SECONDS, { stderr, now: Date.now });
    progress.reach({ seconds: 0, nextSeconds: 60, what: 'compiling' });
    await vi.advanceTimersByTimeAsync(50_000);
    const last = '\r[############............] 50 %  0:50 left  compiling\u001b[K';
    expect(written().endsWith(last)).toBe(true);
    expect(written()).not.toContain('\n');
    progress.end();
    expect(written().endsWith(`${last}\r\u001b[K`)).toBe(true);
  });

  it.each([true, false])('writes nothing after its end (terminal: %s)', async (isTerminal) => {
    const { stderr, written } = output(isTerminal);
    const progress = taskProgress(TOTAL_SECONDS, { stderr, now: Date.now });
    progress.reach({ seconds: 0, nextSeconds: 10, what: 'compiling' });
    progress.end();
    progress.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written()).toBe('');
  });
});

describe('progress through a file', () => {
  it('is one line per second without a terminal: lines, rate, percentage and time left', async () => {
    const { stderr, written } = output(false);
    const progress = fileProgress('lines', 1000, { stderr, now: Date.now });
    progress.reach(5000, 250);
    await vi.advanceTimersByTimeAsync(1000);
    progress.reach(30_000, 500);
    await vi.advanceTimersByTimeAsync(1000);
    expect(written()).toBe('5000 lines, 5000/s, 25 %, 0:03 left\n30000 lines, 15000/s, 50 %, 0:02 left\n');
    progress.end();
  });

  it('has no time left before the first bytes, and neither percentage nor time left for standard input', async () => {
    const { stderr, written } = output(false);
    const file = fileProgress('lines', 1000, { stderr, now: Date.now });
    const input = fileProgress('lines', undefined, { stderr, now: Date.now });
    input.reach(10, 250);
    await vi.advanceTimersByTimeAsync(1000);
    expect(written()).toBe('0 lines, 0/s, 0 %\n10 lines, 10/s\n');
    file.end();
    input.end();
  });

  it('stays below 100 % when the file grows', async () => {
    const { stderr, written } = output(false);
    const progress = fileProgress('lines', 1000, { stderr, now: Date.now });
    progress.reach(10, 1200);
    await vi.advanceTimersByTimeAsync(1000);
    expect(written()).toBe('10 lines, 10/s, 99 %, 0:00 left\n');
    progress.end();
  });

  it('is a bar on a terminal, which a note does not corrupt', async () => {
    const { stderr, written } = output(true);
    const progress = fileProgress('lines', 1000, { stderr, now: Date.now });
    progress.note('before the bar');
    progress.reach(5000, 500);
    await vi.advanceTimersByTimeAsync(1000);
    progress.note('a refused line');
    const bar = '\r[############............] 50 %  0:01 left  5000 lines, 5000/s\u001b[K';
    expect(written()).toBe(`before the bar\n${bar}\r\u001b[Ka refused line\n`);
    progress.end();
    expect(written().endsWith('\r\u001b[K')).toBe(true);
  });

  it.each([true, false])('writes nothing after its end (terminal: %s)', async (isTerminal) => {
    const { stderr, written } = output(isTerminal);
    const progress = fileProgress('lines', 1000, { stderr, now: Date.now });
    progress.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written()).toBe('');
  });
});
