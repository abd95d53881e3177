// Rules: spec/operations.md#audit-log
import { beforeEach, describe, expect, it } from 'vitest';
import { openDriver } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS } from '../../../storage/support/rows.ts';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();

beforeEach(async () => {
  await folder.json('apps add --name First');
  await folder.json('apps add --name Second');
});

interface Row {
  readonly seq: number;
  readonly hash: string;
  readonly actor: string;
  readonly action: string;
  readonly after: { readonly name?: string };
}

const list = async (...options: string[]): Promise<readonly Row[]> =>
  (await folder.json<{ audit: Row[] }>(['audit', 'list', ...options])).audit;

describe('proofgate audit', () => {
  it('lists changes with the user who ran the command, the latest first', async () => {
    const rows = await list();
    expect(rows.map(({ action, after }) => [action, after.name])).toEqual([
      ['app.created', 'Second'],
      ['app.created', 'First'],
    ]);
    expect(rows[0]?.actor).toMatch(/^cli:./);
    expect(await list('--limit', '1')).toHaveLength(1);
    expect(await list('--action', 'app.removed')).toEqual([]);
    const { stdout } = await folder.run('audit list');
    expect(stdout).toContain('app.created');
  });

  it('exports every row as a line, the oldest first', async () => {
    const { stdout } = await folder.run('audit export');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(lines).toEqual([...(await list())].reverse());
  });

  it('verifies the log, and finds a row that was changed or removed, also at its end', async () => {
    const [last] = await list();
    const sound = await folder.run('audit verify');
    expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining(last?.hash ?? 'none')]);
    const known = ['--head', `${last?.seq}:${last?.hash}`];
    expect((await folder.run(['audit', 'verify', ...known])).code).toBe(0);

    const driver = await openDriver({ url: `libsql:${folder.path}/proofgate.db`, ...GROUP_SETTINGS }, {});
    await driver.write([{ sql: "update audit_log set actor = 'cli:nobody' where seq = 1", params: [] }]);
    await driver.close();
    const broken = await folder.run('audit verify');
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('audit.broken')]);
    expect((await folder.run('audit verify --head x')).code).toBe(2);
  });
});
