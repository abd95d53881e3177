// Rules: spec/operations.md#connections-and-memory
import { describe, expect, it } from 'vitest';
import {
  createFrontEndCounts,
  FrontEndConnections,
} from '../../../../src/http/limits/front-ends/front-end-counts.ts';
import { FrontEndGate } from '../../../../src/http/limits/front-ends/front-end-gate.ts';

interface World {
  readonly gates: readonly FrontEndGate[];
  readonly events: string[];
  /** Opens a connection of a front end. Returns whether it was accepted. */
  open(index: number, address: string): boolean;
}

/** Two front ends that may have 8 connections together. */
function worldOf(): World {
  const events: string[] = [];
  const counts = createFrontEndCounts(2);
  const gates = [0, 1].map(
    (index) =>
      new FrontEndGate({
        maxOpen: 8,
        count: new FrontEndConnections(counts, index),
        onRefused: () => events.push(`${index} refused`),
        onReached: () => events.push(`${index} reached`),
      }),
  );
  return {
    gates,
    events,
    open(index, address) {
      let isAccepted = true;
      const gate = gates[index];
      gate?.opened(
        () => address,
        () => {
          isAccepted = false;
          gate.closed();
        },
      );
      return isAccepted;
    },
  };
}

describe('the gates of two front ends', () => {
  it('report when a quarter and when all connections are open, and refuse those beyond', () => {
    const { gates, events, open } = worldOf();
    const accepted = Array.from({ length: 10 }, (_, n) => open(n % 2, `address ${n}`));
    expect(accepted).toEqual([true, true, true, true, true, true, true, true, false, false]);
    expect(events).toEqual(['1 reached', '1 reached', '0 reached', '1 reached']);
    expect(gates.map((gate) => gate.open)).toEqual([4, 4]);
  });

  it('refuse new connections of the addresses that the main thread names while many are open', () => {
    const { gates, events, open } = worldOf();
    const [one] = gates;
    one?.setOverLimit(['a']);
    expect(open(0, 'a')).toBe(true);
    expect([one?.isCrowded, one?.isOverLimit('a'), one?.isOverLimit('b')]).toEqual([false, true, false]);
    open(1, 'b');
    expect(open(0, 'a')).toBe(false);
    expect(open(0, 'b')).toBe(true);
    expect(one?.isCrowded).toBe(true);
    expect(events.filter((event) => event.endsWith('refused'))).toEqual(['0 refused']);
    one?.setOverLimit([]);
    expect(open(0, 'a')).toBe(true);
  });
});
