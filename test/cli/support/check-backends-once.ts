import { vi } from 'vitest';
import type * as Backends from '../../../src/cli/doctor/checks/backends.ts';

const original = await vi.importActual<typeof Backends>('../../../src/cli/doctor/checks/backends.ts');
const results = new Map<string, ReturnType<typeof Backends.checkBackends>>();

/**
 * Replaces `checkBackends` in a test file that runs `doctor` often: each choice of backend is tried on this machine at the
 * first run only, since trying all of them takes two seconds.
 */
export const checkBackends: typeof Backends.checkBackends = (config, context) => {
  const key = JSON.stringify([config.profile, config.engine.backend]);
  const known = results.get(key) ?? original.checkBackends(config, context);
  results.set(key, known);
  return known;
};
