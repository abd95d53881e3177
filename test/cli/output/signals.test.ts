// Rules: spec/operations.md#diagnosis
import { afterEach, describe, expect, it } from 'vitest';
import { onSignals } from '../../../src/cli/output/progress.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const listeners = (): number[] => SIGNALS.map((name) => process.listenerCount(name));

describe('a command that can be interrupted', () => {
  let remove: (() => void) | undefined;
  afterEach(() => remove?.());

  it.each(SIGNALS)('stops once on %s, and leaves a second signal of either kind to the system', (first) => {
    const before = listeners();
    let calls = 0;
    remove = onSignals(() => {
      calls += 1;
    });
    expect(listeners()).toEqual(before.map((count) => count + 1));
    // Only its own listener: another of this process, such as that of a browser's driver, may end it.
    process.rawListeners(first).at(-1)?.call(process, first);
    expect(calls).toBe(1);
    // Without a listener a signal ends the process.
    expect(listeners()).toEqual(before);
  });

  it('listens no longer once its work is done', () => {
    const before = listeners();
    remove = onSignals(() => undefined);
    remove();
    expect(listeners()).toEqual(before);
  });
});
