// Rules: spec/operations.md#store-copies
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useCliFolder } from '../../support/cli.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const folder = useCliFolder();
let to: string;

beforeEach(async () => {
  to = `libsql:${join(folder.path, 'moved.db')}`;
  await folder.json(['apps', 'add', '--app-id', APP]);
});

describe('proofgate store copy', () => {
  it('moves the store of the settings, and says what each table has', async () => {
    const { code, stdout, stderr } = await folder.run(['store', 'copy', '--to', to]);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^libsql:.*proofgate\.db to libsql:.*moved\.db: apps 1, nullifiers 0, .*\ntable +rows +added +removed +digest\napp_policies +1 +1 +0 +[0-9a-f]{64}\napps +1 +1 +0 +[0-9a-f]{64}\n/,
    );
    expect(stdout).toContain('every table has the same rows in both\n');
    const atNew = await folder.json('apps list', { env: { PROOFGATE_STORAGE_URL: to } });
    expect(atNew).toMatchObject({ apps: [{ app_id: APP }] });
  });

  it('prints the same as JSON', async () => {
    const from = `libsql:${join(folder.path, 'proofgate.db')}`;
    const report = await folder.json(['store', 'copy', '--from', from, '--to', to, '--ahead']);
    expect(report).toMatchObject({ from, to, ahead: true });
    expect(report.tables).toContainEqual({
      table: 'apps',
      rows: 1,
      added: 1,
      removed: 0,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('takes the source out of service until it is reopened', async () => {
    await folder.json(['store', 'copy', '--to', to]);
    const refused = await folder.run('apps list');
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(/^proofgate: store\.moved: .*\n {2}cure: .*`proofgate store reopen`/);
    expect((await folder.run('store reopen')).stderr).toContain('cli.refused');
    expect(await folder.json('store reopen --yes')).toEqual({ reopened: true });
    expect((await folder.run('apps list')).code).toBe(0);
  });

  it('leaves a target that is not finished out of service', async () => {
    await folder.json(['store', 'copy', '--to', to, '--ahead']);
    const refused = await folder.run('apps list', { env: { PROOFGATE_STORAGE_URL: to } });
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('store.copy_unfinished');
  });

  it('warns of a password on the command line, and does not repeat it', async () => {
    const { code, stderr } = await folder.run('store copy --to postgres://u:hidden@127.0.0.1:1/d');
    expect(code).toBe(69);
    expect(stderr).toContain('note: every user of this machine can read a password on the command line');
    expect(stderr).not.toContain('hidden');
  });
});
