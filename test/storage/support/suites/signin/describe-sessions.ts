import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../../../src/config/apps/client-of.ts';
import type { SessionRow } from '../../../../../src/storage/signin/sessions.ts';
import type { Store } from '../../../../../src/storage/store.ts';
import { appRow, bytes32, type StoreUnderTest } from '../../rows.ts';
import {
  ACCEPTED,
  digest,
  newCode,
  newTransaction,
  pendingBounds,
  START,
  sessionRow,
} from '../../signin-rows.ts';

const CLIENT_ID = appRow().appId;
const MAX_SESSIONS = 20;

/** Tests for the sessions of sign-in. */
export function describeSessions(subject: () => StoreUnderTest): void {
  let store: Store;

  beforeEach(() => {
    ({ store } = subject());
  });

  /** Completes a sign-in, whose end begins and ends sessions. */
  const signIn = async (txn: string, begun?: SessionRow, former?: string, code = newCode(txn)) => {
    await store.transactions.begin(newTransaction(txn), undefined, pendingBounds(100));
    await store.transactions.storeAnswer(txn, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
    await store.transactions.complete(txn, 1, ACCEPTED, undefined, START + 1);
    const change = { former: former === undefined ? undefined : digest(former), begun };
    return await store.transactions.consume(txn, code, change);
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
      expect(await store.transactions.consume('second', undefined, again)).toBe(false);
      expect([await find('two'), await find('three')]).toEqual([sessionRow('two'), undefined]);
      expect(await signIn('third', undefined, 'two')).toBe(true);
      expect(await find('two')).toBeUndefined();
    });

    it('do not begin with a sign-in that was refused', async () => {
      await store.transactions.begin(newTransaction('txn'), undefined, pendingBounds(100));
      expect(await store.transactions.cancel('txn')).toBe(true);
      const change = { former: undefined, begun: sessionRow('one') };
      expect(await store.transactions.consume('txn', undefined, change)).toBe(false);
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
    it('is stored with the sign-in until its response is delivered', async () => {
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
      expect(await store.transactions.consume('txn', undefined)).toBe(true);
      expect(await agreed()).toEqual([]);
      expect(await store.transactions.agree('txn', ['stay'])).toBe(false);
    });
  });
}
