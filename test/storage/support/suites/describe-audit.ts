import { describe, expect, it } from 'vitest';
import { checkChain } from '../../../../src/storage/audit/audit-chain.ts';
import { type AuditRow, EMPTY_HEAD } from '../../../../src/storage/audit/audit-log.ts';
import { type Store, storeOver } from '../../../../src/storage/store.ts';
import { appRow, GROUP_SETTINGS, rootRow, verifyingKeyRow } from '../rows.ts';
import { secretRow } from '../signin-rows.ts';
import { driver, store } from '../subject.ts';

const APP_ID = appRow().appId;

/** Tests for the audit log. */
export function describeAudit(): void {
  const rows = (): Promise<AuditRow[]> => store.audit.listAfter(0, 1000);
  const change = (seq: number, column: string, value: string | number): Promise<unknown> =>
    driver.write([{ sql: `update audit_log set ${column} = $1 where seq = $2`, params: [value, seq] }]);
  const record = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      await store.audit.record({ action: 'a.b', target: `t${index}` });
    }
  };

  describe('the audit log', () => {
    it('has a row for a change, with its author, its request and both values', async () => {
      const operator = store.by({ actor: 'api:ops', requestId: 'request-1' });
      await operator.apps.create(appRow());
      await operator.apps.update(APP_ID, { name: 'Other', status: 'disabled' }, 2000);
      const [, updated] = await rows();
      expect(updated).toMatchObject({
        seq: 2,
        actor: 'api:ops',
        action: 'app.updated',
        target: APP_ID,
        requestId: 'request-1',
        before: JSON.stringify({ name: appRow().name, status: 'active' }),
        after: JSON.stringify({ name: 'Other', status: 'disabled' }),
      });
    });

    it('names the service as the author where nobody else is', async () => {
      await store.apps.create(appRow());
      expect((await rows()).map(({ actor, requestId }) => [actor, requestId])).toEqual([['system', null]]);
    });

    it('has no row for a change that was refused', async () => {
      await store.apps.create(appRow());
      await expect(store.apps.create(appRow())).rejects.toMatchObject({ code: 'app.exists' });
      await expect(store.apps.update('app_none', { name: 'x' }, 1)).rejects.toMatchObject({
        code: 'app.unknown',
      });
      await expect(store.apps.update(APP_ID, { name: 'x' }, 1, 7)).rejects.toMatchObject({
        code: 'app.changed',
      });
      expect(await store.apps.removeSecret(APP_ID, 'none')).toBe(false);
      expect(await store.rootSources.reset('none')).toBe(false);
      expect(await rows()).toHaveLength(1);
    });

    it('never holds the hash of a secret', async () => {
      const secret = secretRow('first');
      await store.apps.create(appRow(), secret);
      await store.apps.addSecret(secretRow('second'), 9_000, 0);
      await store.apps.removeSecret(APP_ID, 'second');
      const text = JSON.stringify(await rows());
      expect(text).toContain('first');
      expect(text).not.toContain(Buffer.from(secret.hash).toString('hex'));
      expect(text).not.toContain(Buffer.from(secret.hash).toString('base64url'));
    });

    it('is one sound chain after concurrent changes by several writers', async () => {
      const writers = Array.from({ length: 4 }, (_, index) =>
        storeOver(driver, GROUP_SETTINGS).by({ actor: `cli:${index}` }),
      );
      const changes = writers.flatMap((writer, index) =>
        Array.from({ length: 5 }, (_, number) =>
          writer.verifyingKeys.put(verifyingKeyRow({ keyId: `key-${index}-${number}` })),
        ),
      );
      await Promise.all(changes);
      const all = await rows();
      expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(new Set(all.map(({ actor }) => actor)).size).toBe(4);
      expect(await checkChain(store.audit)).toEqual({ isSound: true, head: await store.audit.head() });
    });

    it('is sound while it is empty', async () => {
      expect(await checkChain(store.audit)).toEqual({ isSound: true, head: EMPTY_HEAD });
    });

    it.each(['at', 'actor', 'action', 'target', 'request_id', 'before_value', 'after_value', 'hash'])(
      'shows that %s of a row was changed',
      async (column) => {
        await record(3);
        await change(2, column, column === 'at' ? 1 : 'forged');
        expect(await checkChain(store.audit)).toMatchObject({ isSound: false, seq: 2 });
      },
    );

    it.each([1, 2, 3])('shows that row %d of three was removed', async (seq) => {
      await record(3);
      await driver.write([{ sql: 'delete from audit_log where seq = $1', params: [seq] }]);
      expect(await checkChain(store.audit)).toEqual({ isSound: false, seq, fault: 'the row is missing' });
    });

    it.each([
      ['removed', 'delete from audit_head', 3, 'the row is not the recorded head'],
      ['set back', 'update audit_head set seq = 1, hash = $1', 3, 'the row is not the recorded head'],
      ['changed', "update audit_head set hash = 'forged'", 3, 'the row is not the recorded head'],
      [
        'set back and changed',
        "update audit_head set seq = 1, hash = 'forged'",
        1,
        'the row is not the recorded head',
      ],
      ['set ahead', 'update audit_head set seq = 5', 4, 'the row is missing'],
    ])('shows that its head was %s', async (_, sql, seq, fault) => {
      await record(3);
      const params = sql.includes('$1') ? [(await rows())[0]?.hash ?? ''] : [];
      await driver.write([{ sql, params }]);
      expect(await checkChain(store.audit)).toEqual({ isSound: false, seq, fault });
    });

    it('shows by a row that was noted elsewhere that its end was written anew', async () => {
      await record(3);
      const noted = await store.audit.head();
      await driver.write([
        { sql: 'delete from audit_log where seq > 1', params: [] },
        { sql: 'update audit_head set seq = 1, hash = $1', params: [(await rows())[0]?.hash ?? ''] },
      ]);
      expect(await checkChain(store.audit)).toMatchObject({ isSound: true });
      expect(await checkChain(store.audit, noted)).toMatchObject({ isSound: false, seq: 2 });
      await record(4);
      expect(await checkChain(store.audit)).toMatchObject({ isSound: true });
      expect(await checkChain(store.audit, noted)).toMatchObject({ isSound: false, seq: 3 });
    });

    it('is listed page by page, the latest row first, by author, action and target', async () => {
      await record(5);
      await store.by({ actor: 'api:x' }).roots.put([rootRow()]);
      const seqs = async (...args: Parameters<Store['audit']['list']>): Promise<number[]> =>
        (await store.audit.list(...args)).map(({ seq }) => seq);
      expect(await seqs({}, 4)).toEqual([6, 5, 4, 3]);
      expect(await seqs({}, 4, 3)).toEqual([2, 1]);
      expect(await seqs({ actor: 'api:x' }, 4)).toEqual([6]);
      expect(await seqs({ action: 'a.b' }, 2)).toEqual([5, 4]);
      expect(await seqs({ target: 't1', action: 'a.b' }, 2)).toEqual([2]);
      expect(await seqs({ target: 't1', actor: 'api:x' }, 2)).toEqual([]);
    });
  });
}
