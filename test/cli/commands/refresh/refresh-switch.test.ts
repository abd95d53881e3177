import { describe, expect, it } from 'vitest';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();

async function isSwitchedOn(): Promise<boolean> {
  const store = await openMigratedStore({
    url: `libsql:${folder.path}/proofgate.db`,
    groupMaxRows: 10,
    groupMaxDelayMs: 0,
  });
  try {
    return await store.refreshGuards.isSwitchedOn();
  } finally {
    await store.close();
  }
}

describe('proofgate refresh', () => {
  it('switches refresh off and on in the store, and says when all nodes follow', async () => {
    const off = await folder.run('refresh disable', { env: { PROOFGATE_STORAGE_CACHE_SECONDS: '7' } });
    expect(off).toEqual({
      code: 0,
      stdout: 'credential refresh is switched off; every node follows within 7 s\n',
      stderr: '',
    });
    expect(await isSwitchedOn()).toBe(false);
    const env = { PROOFGATE_STORAGE_CACHE_SECONDS: '7' };
    expect(await folder.json('refresh enable', { env })).toEqual({ enabled: true, within_seconds: 7 });
    expect(await isSwitchedOn()).toBe(true);
  });

  it('warns when the setting keeps it off', async () => {
    const env = { PROOFGATE_REFRESH_ENABLED: 'false' };
    const { code, stderr } = await folder.run('refresh enable', { env });
    expect(code).toBe(0);
    expect(stderr).toBe('warning: refresh.enabled is false here: nodes with this setting still refuse\n');
    expect((await folder.run('refresh disable', { env })).stderr).toBe('');
  });
});
