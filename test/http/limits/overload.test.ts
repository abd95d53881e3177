// Rules: spec/operations.md#overload
import { describe, expect, it } from 'vitest';
import { descriptorBudget } from '../../../src/http/limits/descriptors.ts';
import { Overload } from '../../../src/http/limits/overload.ts';

describe('an overload', () => {
  it('begins with the first refusal and ends five seconds after the last', () => {
    let now = 0;
    let begun = 0;
    const overload = new Overload(() => now);
    overload.onBegin = () => {
      begun++;
    };
    expect(overload.causes).toEqual([]);
    for (now = 0; now <= 20_000; now += 100) {
      overload.refused('exchanges');
      expect(overload.causes).toEqual(['exchanges']);
    }
    expect(begun).toBe(1);
    now = 24_900;
    expect(overload.causes).toEqual(['exchanges']);
    now = 25_000;
    expect(overload.causes).toEqual([]);
    overload.refused('exchanges');
    expect(begun).toBe(2);
  });

  it('can have several causes at the same time, and a held cause lasts until its release', () => {
    let now = 0;
    const overload = new Overload(() => now);
    overload.hold('connections');
    overload.refused('body_memory');
    expect(overload.causes).toEqual(['connections', 'body_memory']);
    now = 1_000_000;
    expect(overload.causes).toEqual(['connections']);
    overload.release('connections');
    expect(overload.causes).toEqual(['connections']);
    now += 5000;
    expect(overload.causes).toEqual([]);
  });
});

describe('an overload of several threads', () => {
  it('has the causes of all, begins with each new cause, and is over once every thread says so', () => {
    let begun = 0;
    const overload = new Overload(() => 0);
    overload.onBegin = () => {
      begun++;
    };
    overload.report('one', ['exchanges']);
    overload.report('two', ['exchanges']);
    expect(begun).toBe(1);
    overload.report('two', ['exchanges', 'body_memory']);
    expect([overload.causes, begun]).toEqual([['exchanges', 'body_memory'], 2]);
    overload.report('two', []);
    expect(overload.causes).toEqual(['exchanges']);
    overload.hold('connections');
    overload.report('one', []);
    expect([overload.causes, begun]).toEqual([['connections'], 3]);
  });
});

describe('the descriptors of a process', () => {
  it.each([
    [256, 60, 164, 32],
    [1024, 60, 836, 128],
    [1_048_576, 100, 1_047_452, 1024],
    [64, 60, 16, 32],
  ])('%i with %i in use leave %i for connections and %i in reserve', (limit, used, connections, reserve) => {
    expect(descriptorBudget(limit, used)).toEqual({ connections, reserve });
  });
});
