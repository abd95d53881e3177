import { beforeAll, vi } from 'vitest';
import * as trials from '../../../src/cli/doctor/checks/backend-trials.ts';

/**
 * Makes `doctor` say that addon and WASM pass without trying them, which takes two seconds of a processor, for a test file
 * of other checks. test/cli/doctor/doctor.test.ts tries them.
 */
export function skipBackendTrials(): void {
  beforeAll(() => {
    const spy = vi
      .spyOn(trials, 'tryBackends')
      .mockResolvedValue([{ choice: 'native-portable' }, { choice: 'wasm-scalar' }]);
    return () => spy.mockRestore();
  });
}
