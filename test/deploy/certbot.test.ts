import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DEPLOY } from './support/manifests.ts';

it('the deploy hook of certbot puts the renewed pair in place and reloads the service', () => {
  const folder = temporaryFolder('certbot', onTestFinished);
  const [lineage, target, programs] = ['live', 'ssl', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [lineage, target, programs]) mkdirSync(each);
  writeFileSync(join(lineage, 'privkey.pem'), 'new key');
  writeFileSync(join(lineage, 'fullchain.pem'), 'new chain');
  for (const name of ['key.pem', 'cert.pem']) writeFileSync(join(target, name), 'former');
  const calls = join(folder, 'calls');
  writeFileSync(join(programs, 'systemctl'), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync('sh', [join(DEPLOY, 'certbot/deploy-hook.sh')], {
    encoding: 'utf8',
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      RENEWED_LINEAGE: lineage,
      TARGET: target,
      OWNER: userInfo().username,
    },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(readFileSync(join(target, 'key.pem'), 'utf8')).toBe('new key');
  expect(readFileSync(join(target, 'cert.pem'), 'utf8')).toBe('new chain');
  expect(statSync(join(target, 'key.pem')).mode & 0o777).toBe(0o600);
  expect(readFileSync(calls, 'utf8')).toBe('reload proofgate\n');
});
