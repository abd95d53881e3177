import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineBuffer } from '../../../src/observability/log/line-buffer.ts';

function buffered(): { lines: LineBuffer; writes: string[] } {
  const writes: string[] = [];
  return { lines: new LineBuffer({ write: (text) => writes.push(text) }), writes };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('buffered lines', () => {
  it('are written together ten milliseconds after the first one', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    vi.advanceTimersByTime(9);
    lines.writeSoon('b\n');
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(writes).toEqual(['a\nb\n']);
    lines.writeSoon('c\n');
    vi.advanceTimersByTime(10);
    expect(writes).toEqual(['a\nb\n', 'c\n']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are written before an unbuffered line, and by a flush', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    lines.write('now\n');
    expect(writes).toEqual(['a\n', 'now\n']);
    lines.writeSoon('b\n');
    lines.flush();
    lines.flush();
    expect(writes).toEqual(['a\n', 'now\n', 'b\n']);
  });

  it('are written immediately when there are many', () => {
    const { lines, writes } = buffered();
    for (let count = 0; count < 200; count++) lines.writeSoon(`${'x'.repeat(99)}\n`);
    expect(writes).toHaveLength(1);
  });

  it('are written when the process exits', () => {
    const others = process.listeners('exit');
    const { lines, writes } = buffered();
    lines.writeSoon('last\n');
    // Not those of the tests that ran before in this process: they remove its temporary folders.
    const added = process.listeners('exit').filter((listener) => !others.includes(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) listener.call(process, 0);
    expect(writes).toEqual(['last\n']);
  });
});
