// Rules: spec/operations.md#diagnosis
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { checkBackends } from '../../../src/cli/doctor/checks/backends.ts';
import type { CommandContext } from '../../../src/cli/program/command.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { BackendUnavailable } from '../../../src/engine/backends/choose-backend.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';

const FOLDER = '/opt/fails its vectors';

/** Runs the checks on a machine where each arithmetic fails with its own error. */
async function examine(errorOf: (choice: string) => Error): Promise<Map<string, CheckResult>> {
  const withEngine: CommandContext['withEngine'] = ({ backend }) => Promise.reject(errorOf(backend));
  const { config } = await loadConfig({ env: {}, cwd: '/' });
  const checks = await checkBackends(config, { withEngine } as CommandContext);
  return new Map(checks.map((check) => [check.name, check]));
}

describe('the check of the arithmetics', () => {
  it('fails for one that runs and gives wrong answers', async () => {
    const faulty = [{ arithmetic: 'avx2', reason: 'EdDSA in lanes: the answer differs' }] as const;
    const checks = await examine((choice) =>
      choice === 'native-avx2'
        ? new BackendUnavailable([], faulty)
        : new BackendUnavailable([`${choice} does not run`], []),
    );
    expect(checks.get('addon')).toMatchObject({
      status: 'fail',
      detail: 'avx2 fails its vectors: EdDSA in lanes: the answer differs',
      cure: expect.stringContaining('Report it'),
    });
  });

  it('takes one that does not run for absent, whatever its error says', async () => {
    const missing = `native addon does not load: ${FOLDER}/addon.node`;
    const checks = await examine(() => new ServiceError('engine.backend_unavailable', missing));
    expect(checks.get('addon')).toMatchObject({ status: 'ok', detail: expect.stringContaining(missing) });
    expect(checks.get('wasm')?.cure).toContain('Restore wasm/artifact');
  });
});
