import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeRelyingParty } from './support/describe-relying-party.ts';
import { runs, supportPath } from './support/relying-party.ts';

const cwd = supportPath('go');
// Tests use only cached modules; the setup fetches them.
const env = {
  ...process.env,
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
};
const folder = temporaryFolder('go', afterAll);

describeRelyingParty({
  name: 'coreos/go-oidc (Go)',
  missing: missingPart(),
  async prepare() {
    const program = join(folder, 'relying-party');
    await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd, env });
    return [program];
  },
});

function missingPart(): string | undefined {
  if (!runs('go', ['version'], { env })) return 'no go';
  return runs('go', ['list', '-deps', '.'], { cwd, env })
    ? undefined
    : 'no module go-oidc in the cache of go';
}
