import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../src/observability/line-buffer.ts';

function buffered(): { lines: LineBuffer; writes: string[] } {
  const writes: string[] = [];
  return { lines: new LineBuffer({ write: (text) => writes.push(text) }), writes };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('lines that are held', () => {
  it('are written together before the next turn of the event loop', async () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    lines.writeSoon('b\n');
    expect(writes).toEqual([]);
    await turn();
    expect(writes).toEqual(['a\nb\n']);
    lines.writeSoon('c\n');
    await turn();
    expect(writes).toEqual(['a\nb\n', 'c\n']);
  });

  it('are written before a line that is not held, and by a flush', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    lines.write('now\n');
    expect(writes).toEqual(['a\n', 'now\n']);
    lines.writeSoon('b\n');
    lines.flush();
    lines.flush();
    expect(writes).toEqual(['a\n', 'now\n', 'b\n']);
  });

  it('are written at once when they are many', () => {
    const { lines, writes } = buffered();
    for (let count = 0; count < 700; count++) lines.writeSoon(`${'x'.repeat(99)}\n`);
    expect(writes).toHaveLength(1);
  });

  it('are written when the process exits', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('last\n');
    process.emit('exit', 0);
    expect(writes).toEqual(['last\n']);
  });
});
