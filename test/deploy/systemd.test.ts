import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { productionFiles } from '../../src/cli/commands/init/production-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { examine } from './support/configuration.ts';
import { DEPLOY, NODE_FLAGS, run, textOf, toolOf } from './support/manifests.ts';

const UNIT = 'systemd/proofgate.service';
const analyze = toolOf('systemd-analyze');
const skip = analyze === undefined ? ' (systemd is not installed)' : '';
/** Highest exposure, in tenths, that the sandbox of the unit may have; systemd calls up to 20 "OK". */
const MAX_EXPOSURE = 15;

const lines = textOf(UNIT).split('\n');
const valuesOf = (name: string): string[] =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));

describe('proofgate.service', () => {
  it('starts the program with the memory flags of npm start', () => {
    const program = '/opt/proofgate/dist/main.js';
    expect(valuesOf('ExecStart')).toEqual([
      `/usr/bin/node ${NODE_FLAGS.join(' ')} ${program} serve --migrate`,
    ]);
  });

  it('reads the configuration that `proofgate init production` writes', () => {
    const folder = '/etc/proofgate';
    const names = productionFiles(folder).map(({ path }) => join(folder, path));
    expect(names).toContain(valuesOf('EnvironmentFile')[0]);
    expect(valuesOf('ReadOnlyPaths')[0]?.split(' ')).toContain(folder);
  });

  it('gives a shutdown its time and does not repeat a start with a wrong configuration', async () => {
    const { config } = await examine({ PROOFGATE_PROFILE: 'production' });
    const { drainDelayMs, timeoutMs } = config.shutdown;
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThanOrEqual(
      drainDelayMs + timeoutMs + 5000,
    );
    expect(valuesOf('RestartPreventExitStatus')).toEqual(['78']);
  });

  it('ends the service by the signal that drains it, and takes a second one for an end that was asked for', () => {
    expect(valuesOf('KillSignal')).toEqual(['SIGTERM']);
    // The signal goes to the service alone, which ends its builds itself.
    expect(valuesOf('KillMode')).toEqual(['mixed']);
    expect(valuesOf('SuccessExitStatus')).toEqual(['130 143']);
    expect(valuesOf('Restart')).toEqual(['on-failure']);
    expect(valuesOf('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
    expect(valuesOf('RestartForceExitStatus')).toEqual(['SIGHUP']);
  });

  it.skipIf(skip !== '')(`is a valid unit with a tight sandbox${skip}`, () => {
    const folder = temporaryFolder('unit', onTestFinished);
    const unit = join(folder, 'proofgate.service');
    cpSync(join(DEPLOY, UNIT), unit);
    const verified = run(analyze ?? '', ['verify', '--man=no', unit]);
    // the Node of this machine may be elsewhere
    expect(
      verified.output.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/node')),
    ).toEqual([]);
    const secured = run(analyze ?? '', ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit]);
    expect(secured.code, secured.output).toBe(0);
  });
});
