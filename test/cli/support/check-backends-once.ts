import { beforeAll, vi } from 'vitest';
import * as backends from '../../../src/cli/doctor/checks/backends.ts';

const { checkBackends } = backends;
const results = new Map<string, ReturnType<typeof checkBackends>>();

/**
 * Makes `doctor` try each choice of backend once per process, for a test file that runs it often: trying all of them
 * takes two seconds.
 */
export function checkBackendsOnce(): void {
  beforeAll(() => {
    const spy = vi.spyOn(backends, 'checkBackends').mockImplementation((config, context) => {
      const key = JSON.stringify([config.profile, config.engine.backend]);
      const known = results.get(key) ?? checkBackends(config, context);
      results.set(key, known);
      return known;
    });
    return () => spy.mockRestore();
  });
}
