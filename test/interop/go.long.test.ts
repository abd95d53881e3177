import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
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
let folder: string | undefined;
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

describeRelyingParty({
  name: 'coreos/go-oidc (Go)',
  missing: missingPart(),
  async prepare() {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-go-'));
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
