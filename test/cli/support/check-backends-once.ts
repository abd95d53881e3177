import { beforeAll, vi } from 'vitest';
import * as trials from '../../../src/cli/doctor/checks/backend-trials.ts';

const { tryBackends } = trials;
let known: ReturnType<typeof tryBackends> | undefined;

/**
 * Makes `doctor` try the backends once per process, for a test file that runs it often: trying all of them takes two
 * seconds.
 */
export function checkBackendsOnce(): void {
  beforeAll(() => {
    const spy = vi.spyOn(trials, 'tryBackends').mockImplementation((context) => {
      known ??= tryBackends(context);
      return known;
    });
    return () => spy.mockRestore();
  });
}
