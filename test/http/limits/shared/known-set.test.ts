// Rules: spec/operations.md#rate-limits
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KeyedHash } from '../../../../src/http/limits/shared/keyed-hash.ts';
import { KnownSet } from '../../../../src/http/limits/shared/known-set.ts';
import { SharedTable, tableMemory } from '../../../../src/http/limits/shared/shared-table.ts';

function setOf(memory: SharedArrayBuffer): KnownSet {
  return new KnownSet(new SharedTable(memory), new KeyedHash(Buffer.from('8 bytes!')));
}

describe('a set of known texts', () => {
  it('holds what was added and not deleted, for every thread that has its memory', () => {
    const memory = tableMemory(4);
    const [one, other] = [setOf(memory), setOf(memory)];
    expect(one.has('a')).toBe(false);
    one.add('a');
    one.add('b');
    expect(['a', 'b', 'c'].map((text) => other.has(text))).toEqual([true, true, false]);
    other.delete('a');
    other.delete('c');
    expect(['a', 'b', 'c'].map((text) => one.has(text))).toEqual([false, true, false]);
  });

  it('forgets the one that was not used for longest when it is full', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const known = setOf(tableMemory(1));
    for (let n = 0; n < 15; n++) {
      known.add(`text ${n}`);
      vi.advanceTimersByTime(1000);
    }
    expect(known.has('text 0')).toBe(true);
    vi.advanceTimersByTime(1000);
    for (let n = 15; n < 29; n++) {
      known.add(`text ${n}`);
      vi.advanceTimersByTime(1000);
    }
    expect(known.has('text 0')).toBe(true);
    for (let n = 1; n < 15; n++) expect(known.has(`text ${n}`)).toBe(false);
  });
});
