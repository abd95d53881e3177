// Rules: spec/operations.md#postgresql-durability
import { describe, expect, it } from 'vitest';
import { judgeDurability } from '../../../../src/storage/drivers/postgres/durability.ts';

const SAFE = {
  encoding: 'UTF8',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  synchronousStandbyNames: 's1',
};

describe('the durability of a PostgreSQL server', () => {
  it('is safe with a synchronous standby', () => {
    expect(judgeDurability(SAFE)).toEqual({
      text: 'fsync=on full_page_writes=on synchronous_commit=on synchronous_standby_names="s1"',
      faults: [],
      failover: {
        isSafe: true,
        text: 'A synchronous standby confirms each commit: a failover to it loses nothing that was acknowledged.',
      },
    });
  });

  it.each([
    [{ fsync: 'off' }, 'fsync=off'],
    [{ fullPageWrites: 'off' }, 'full_page_writes=off'],
    [{ synchronousCommit: 'off' }, 'synchronous_commit=off'],
  ])('has a fault with %j', (change, fault) => {
    const { faults } = judgeDurability({ ...SAFE, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  it.each([
    [{ synchronousCommit: 'remote_apply' }, true, 'loses nothing'],
    [{ synchronousCommit: 'remote_write' }, false, 'crashes at the same time'],
    [{ synchronousCommit: 'local' }, false, 'may lose the last acknowledged writes'],
    [{ synchronousStandbyNames: '' }, false, 'No synchronous standby is named'],
    [{ synchronousStandbyNames: null }, false, 'unknown'],
  ])('says what a failover may lose with %j', (change, isSafe, text) => {
    const { failover } = judgeDurability({ ...SAFE, ...change });
    expect(failover?.isSafe).toBe(isSafe);
    expect(failover?.text).toContain(text);
  });
});
