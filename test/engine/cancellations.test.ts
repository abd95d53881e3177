import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Cancellations } from '../../src/engine/cancellations.ts';
import { type PlainItem, PlainLane } from './support/plain-lane.ts';

describe('signals that drop waiting work', () => {
  const lane = new PlainLane('a');

  it('drops every watched item of a signal, with one listener for all of them', () => {
    const dropped: number[] = [];
    const cancellations = new Cancellations<PlainItem>(({ value }) => dropped.push(value));
    const controller = new AbortController();
    for (const value of [1, 2, 3]) cancellations.watch(controller.signal, lane.item(value));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(dropped).toEqual([1, 2, 3]);
  });

  it('forgets answered items, and the signal with the last of them', () => {
    const dropped: number[] = [];
    const cancellations = new Cancellations<PlainItem>(({ value }) => dropped.push(value));
    const controller = new AbortController();
    const items = [1, 2].map((value) => lane.item(value));
    for (const item of items) cancellations.watch(controller.signal, item);
    cancellations.forget(controller.signal, items[0] as PlainItem);
    expect(cancellations.size).toBe(1);
    cancellations.forget(controller.signal, items[1] as PlainItem);
    expect([cancellations.size, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
    cancellations.forget(controller.signal, items[1] as PlainItem);
    controller.abort();
    expect(dropped).toEqual([]);
  });

  it('lets an item be forgotten while its signal drops it', () => {
    const controller = new AbortController();
    const cancellations: Cancellations<PlainItem> = new Cancellations<PlainItem>((item) =>
      cancellations.forget(controller.signal, item),
    );
    for (const value of [1, 2]) cancellations.watch(controller.signal, lane.item(value));
    controller.abort();
    expect(cancellations.size).toBe(0);
  });
});
