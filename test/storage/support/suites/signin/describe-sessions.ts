import { describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../../../src/config/apps/client-of.ts';
import type { LogoutNotice } from '../../../../../src/storage/signin/logout-notices.ts';
import {
  type SessionEnd,
  type SessionRow,
  sessionStatements,
} from '../../../../../src/storage/signin/sessions.ts';
import { appRow, bytes32 } from '../../rows.ts';
import {
  ACCEPTED,
  digest,
  newCode,
  newTransaction,
  pendingBounds,
  START,
  sessionRow,
} from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const CLIENT_ID = appRow().appId;
const OTHER = 'app_00000000000000000000000000000002';
const MAX_SESSIONS = 20;
const DAY_MS = 86_400_000;
const NOW = START + 10_000;

/** Tests for the sessions of sign-in, their ends and the notices of them. */
export function describeSessions(): void {
  /** Completes a sign-in, whose end begins and ends sessions. */
  const signIn = async (txn: string, begun?: SessionRow, former?: string, code = newCode(txn)) => {
    await store.transactions.begin(newTransaction(txn), undefined, pendingBounds(100));
    await store.transactions.storeAnswer(txn, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
    await store.transactions.complete(txn, 1, ACCEPTED, {}, START + 1);
    const change = { former: former === undefined ? undefined : digest(former), begun };
    return (await store.answers.consume(txn, { code, session: change })) === 'consumed';
  };
  const find = (name: string, now = START, clientId = CLIENT_ID): Promise<SessionRow | undefined> =>
    store.sessions.find(digest(name), clientId, now);

  describe('sessions', () => {
    it('begin with the end of a sign-in, and live until they expire, for their client alone', async () => {
      const row = sessionRow('one');
      expect(await signIn('txn', row)).toBe(true);
      expect(await find('one', row.expiresAt - 1)).toEqual(row);
      expect(await find('one', row.expiresAt)).toBeUndefined();
      expect(await find('other')).toBeUndefined();
      expect(await find('one', START, `${CLIENT_ID.slice(0, -1)}x`)).toBeUndefined();
    });

    it('begin only once for a sign-in, and end the former one of the browser with it', async () => {
      expect(await signIn('first', sessionRow('one'))).toBe(true);
      expect(await signIn('second', sessionRow('two'), 'one')).toBe(true);
      expect(await find('one')).toBeUndefined();
      const again = { former: digest('two'), begun: sessionRow('three') };
      expect(await store.answers.consume('second', { session: again })).toBe('lost');
      expect([await find('two'), await find('three')]).toEqual([sessionRow('two'), undefined]);
      expect(await signIn('third', undefined, 'two')).toBe(true);
      expect(await find('two')).toBeUndefined();
    });

    it('do not begin with a sign-in that was refused', async () => {
      await store.transactions.begin(newTransaction('txn'), undefined, pendingBounds(100));
      expect(await store.transactions.cancel('txn')).toBe(true);
      const change = { former: undefined, begun: sessionRow('one') };
      expect(await store.answers.consume('txn', { session: change })).toBe('lost');
      expect(await find('one')).toBeUndefined();
    });

    it('give codes while they live, and none afterwards', async () => {
      const row = sessionRow('one');
      await signIn('txn', row);
      const code = newCode('silent', { sid: row.sid });
      expect(await store.sessions.answer(row, code, START)).toBe('answered');
      expect(await store.grants.useCode(digest('silent'), CLIENT_ID, 'jti', START + 9, START)).toMatchObject({
        outcome: 'used',
        row: { sid: row.sid, accepted: row.accepted },
      });
      expect(await store.sessions.answer(row, newCode('late'), row.expiresAt)).toBe('ended');
      await store.sessions.endOfClients([CLIENT_ID]);
      expect(await store.sessions.answer(row, newCode('later'), START)).toBe('ended');
      for (const name of ['late', 'later']) {
        expect(await store.grants.useCode(digest(name), CLIENT_ID, 'jti', START + 9, START)).toEqual({
          outcome: 'unknown',
        });
      }
    });

    it('of one person with a client are twenty at most: the oldest end', async () => {
      const other = { ...ACCEPTED, sub: bytes32(7) };
      await signIn('stranger', sessionRow('stranger', { accepted: other, createdAt: START - 1 }));
      for (let index = 0; index <= MAX_SESSIONS; index++) {
        await signIn(`txn${index}`, sessionRow(`s${index}`, { createdAt: START + index }));
      }
      expect([await find('s0'), (await find('s1'))?.sid]).toEqual([undefined, 'sid of s1']);
      expect(await find(`s${MAX_SESSIONS}`)).toBeDefined();
      expect(await find('stranger')).toBeDefined();
    });

    it('end when their app is disabled, changed as a client, or removed, and not when it is renamed', async () => {
      const client = { ...DEFAULT_CLIENT, redirectUris: ['https://rp.example/other'] };
      await store.apps.create(appRow());
      const lives = async (txn: string): Promise<boolean> => {
        const isLive = (await find('one')) !== undefined;
        if (!isLive) await signIn(txn, sessionRow('one'));
        return isLive;
      };
      expect(await lives('a')).toBe(false);
      await store.apps.update(CLIENT_ID, { name: 'Renamed', status: 'active' }, START);
      expect(await lives('b')).toBe(true);
      await store.apps.update(CLIENT_ID, { status: 'disabled' }, START);
      expect(await lives('c')).toBe(false);
      await store.apps.update(CLIENT_ID, { client }, START);
      expect(await lives('d')).toBe(false);
      await store.apps.remove(CLIENT_ID);
      expect(await find('one')).toBeUndefined();
    });
  });

  describe('what a person agrees to', () => {
    it('is stored with the sign-in, and stays as it is once the response was issued', async () => {
      await store.transactions.begin(newTransaction('txn'), undefined, pendingBounds(100));
      const agreed = async () => (await store.transactions.find('txn', START))?.agreed;
      expect(await agreed()).toEqual([]);
      expect(await store.transactions.agree('txn', ['stay'])).toBe(true);
      expect(await agreed()).toEqual(['stay']);
      expect(await store.transactions.agree('txn', [])).toBe(true);
      expect(await agreed()).toEqual([]);
      await store.transactions.agree('txn', ['stay']);
      await store.transactions.cancel('txn');
      expect(await agreed()).toEqual(['stay']);
      expect(await store.answers.consume('txn', {})).toBe('consumed');
      expect(await store.transactions.agree('txn', [])).toBe(false);
      expect(await agreed()).toEqual(['stay']);
    });
  });

  const begin = async (name: string, change: Partial<SessionRow> = {}): Promise<SessionRow> => {
    const begun = sessionRow(name, change);
    await driver.write(sessionStatements({ former: undefined, begun }));
    return begun;
  };
  const endOf = (sid: string | undefined, change: Partial<SessionEnd> = {}): SessionEnd => ({
    live: { clientId: CLIENT_ID, clientHash: bytes32(5), provenAfter: START },
    sid,
    notifies: true,
    ...change,
  });
  const take = (now = NOW, limit = 8): Promise<LogoutNotice[]> =>
    store.logoutNotices.take(now, now + 30_000, limit);
  const count = (table: string): Promise<number> => driver.countRows(table);

  describe('the end of a session', () => {
    it('is that of one session of its client, with a notice that has its person', async () => {
      const [one, two] = [await begin('one'), await begin('two')];
      await store.sessions.end([endOf(one.sid)], NOW);
      expect(await store.sessions.findBySid(one.sid, NOW)).toBeUndefined();
      expect(await store.sessions.findBySid(two.sid, NOW)).toEqual(two);
      expect(await take()).toEqual([
        { sid: one.sid, clientId: CLIENT_ID, sub: one.accepted.sub, attempts: 1 },
      ]);
    });

    it('does nothing to the session of another client, and writes no notice twice', async () => {
      const one = await begin('one', { clientId: OTHER });
      await store.sessions.end([endOf(one.sid)], NOW);
      expect(await store.sessions.findBySid(one.sid, NOW)).toEqual(one);
      const two = await begin('two');
      await Promise.all([endOf(two.sid), endOf(two.sid)].map((end) => store.sessions.end([end], NOW)));
      await store.sessions.end([], NOW);
      expect([await count('signin_sessions'), await count('logout_notices')]).toEqual([1, 1]);
    });

    it.each([
      ['the client has no address', { notifies: false }, {}],
      ['it has expired', {}, { expiresAt: NOW }],
      ['its proof is too old', {}, { accepted: { sub: bytes32(1), level: 'orb', authTime: START } }],
      ['the client has changed', {}, { clientHash: bytes32(6) }],
    ] as const)('writes no notice when %s', async (_case, end, row) => {
      const { sid } = await begin('one', row);
      await store.sessions.end([endOf(sid, end)], NOW);
      expect([await count('signin_sessions'), await count('logout_notices')]).toEqual([0, 0]);
    });

    it('by the operator is recorded without the name of the session', async () => {
      const { sid } = await begin('one');
      expect(await store.sessions.endByOperator(endOf(sid), NOW)).toBe(1);
      expect(await store.sessions.endByOperator(endOf(sid), NOW)).toBe(0);
      const [row] = await store.audit.list({ action: 'session.revoked' }, 1);
      expect(row).toMatchObject({ target: CLIENT_ID, before: expect.stringMatching(/"sid:[0-9a-f]{8}"/) });
      expect(JSON.stringify(row)).not.toContain(sid);
      expect(await count('logout_notices')).toBe(1);
    });

    it('by the operator is that of all sessions of a client, a thousand at a time', async () => {
      const names = Array.from({ length: 1001 }, (_, index) => `s${index}`);
      const rows = names.map((name, index) => {
        const sub = new Uint8Array(Buffer.alloc(32).fill(index % 251));
        sub[0] = index >> 8;
        return sessionRow(name, { accepted: { sub, level: 'orb', authTime: START + 1 } });
      });
      for (let index = 0; index < rows.length; index += 100) {
        const part = rows.slice(index, index + 100);
        await driver.write(part.flatMap((begun) => sessionStatements({ former: undefined, begun })));
      }
      const other = await begin('other', { clientId: OTHER });
      expect(await store.sessions.endByOperator(endOf(undefined), NOW)).toBe(1001);
      expect(await store.sessions.findBySid(other.sid, NOW)).toEqual(other);
      expect([await count('signin_sessions'), await count('logout_notices')]).toEqual([1, 1001]);
      expect(await store.audit.list({ action: 'session.all_revoked' }, 3)).toHaveLength(2);
    });
  });

  it('lists and counts the live sessions of a client, the latest first, page by page', async () => {
    const rows: SessionRow[] = [];
    for (let index = 0; index < 5; index++) {
      rows.unshift(await begin(`s${index}`, { createdAt: START + Math.floor(index / 2) }));
    }
    await begin('other', { clientId: OTHER });
    await begin('changed', { clientHash: bytes32(6) });
    const { live } = endOf(undefined);
    const first = await store.sessions.page(live, NOW, 2);
    const rest = await store.sessions.page(live, NOW, 9, first[1]);
    expect([...first, ...rest]).toEqual(rows);
    expect(await store.sessions.count(live, NOW)).toBe(5);
    expect(await store.sessions.count(live, START + 3_600_000)).toBe(0);
  });

  describe('notices of ended sessions', () => {
    /** Ends sessions of two clients, whose notices are due at NOW, NOW + 1 and so on. */
    const notices = async (...clients: readonly string[]): Promise<string[]> => {
      const sids: string[] = [];
      for (const [index, clientId] of clients.entries()) {
        const { sid } = await begin(`n${index}`, { clientId });
        const { live } = endOf(sid);
        await store.sessions.end([endOf(sid, { live: { ...live, clientId } })], NOW + index);
        sids.push(sid);
      }
      return sids;
    };
    const sidsOf = (rows: readonly LogoutNotice[]): string[] => rows.map(({ sid }) => sid).sort();

    it('are taken one at a time for each client, the longest due first', async () => {
      const [one, two, three, four] = await notices(CLIENT_ID, CLIENT_ID, OTHER, OTHER);
      expect(await take(NOW - 1)).toEqual([]);
      expect(sidsOf(await take(NOW + 9, 1))).toEqual([one]);
      expect(sidsOf(await take(NOW + 9))).toEqual([three]);
      expect(await take(NOW + 9)).toEqual([]);
      await store.logoutNotices.remove(one ?? '');
      expect(sidsOf(await take(NOW + 9))).toEqual([two]);
      await store.logoutNotices.remove(three ?? '');
      expect(sidsOf(await take(NOW + 9))).toEqual([four]);
    });

    it('are due again when the lease of an attempt has ended', async () => {
      const [one] = await notices(CLIENT_ID);
      expect(sidsOf(await take(NOW))).toEqual([one]);
      expect(await take(NOW + 29_999)).toEqual([]);
      expect(await take(NOW + 30_000)).toMatchObject([{ sid: one, attempts: 2 }]);
    });

    it('wait together after a failure, and those of another client do not', async () => {
      const [one, two, three] = await notices(CLIENT_ID, CLIENT_ID, OTHER);
      const [first] = await take(NOW);
      expect(first?.sid).toBe(one);
      await store.logoutNotices.failed(first as LogoutNotice, NOW + 5000);
      expect(sidsOf(await take(NOW + 9))).toEqual([three]);
      expect(await take(NOW + 4999)).toEqual([]);
      const [again] = await take(NOW + 5000);
      expect([one, two]).toContain(again?.sid);
      // the failure of an attempt whose lease has ended changes nothing of the next one
      await store.logoutNotices.failed({ ...(again as LogoutNotice), attempts: 0 }, NOW + 9000);
      expect(await take(NOW + 8999)).toEqual([]);
    });

    it('are not sent after a day', async () => {
      await notices(CLIENT_ID);
      expect(await take(NOW + DAY_MS)).toEqual([]);
      expect(await take(NOW + DAY_MS - 1)).toHaveLength(1);
    });
  });
}
