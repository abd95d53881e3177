// Rules: spec/sign-in.md#people
import { describe, expect, it } from 'vitest';
import { shortDigest } from '../../../../../src/storage/audit/audit-writer.ts';
import {
  type FoundPerson,
  type PointerRow,
  personHashOf,
  type SeenPerson,
  seenSteps,
  takeBeginning,
} from '../../../../../src/storage/signin/people.ts';
import { guarded } from '../../../../../src/storage/transaction.ts';
import { appRow } from '../../rows.ts';
import { cookiePointer, digest, START, seenPerson, worldIdSession } from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const CLIENT_ID = appRow().appId;
const OTHER = 'app_00000000000000000000000000000002';
const END = START + 3_600_000;
const MAX_KEPT = 20;
const RP_ID = 'rp_0123456789abcdef';

/** Tests for the people of sign-in with World ID 4.0, what finds them again, and the relying party. */
export function describePeople(): void {
  const see = (person: SeenPerson): Promise<'seen' | 'other_person'> =>
    guarded(driver, seenSteps(person), 'seen');
  const find = (
    browser: string,
    now = START,
    clientId = CLIENT_ID,
    kind: PointerRow['kind'] = 'cookie',
  ): Promise<FoundPerson[]> => store.people.findByPointer(digest(browser), clientId, kind, now);
  const audited = async (action: string): Promise<unknown[]> =>
    (await store.audit.list({ action }, 100)).map(({ target, before, after }) => ({
      target,
      before: JSON.parse(before ?? 'null'),
      after: JSON.parse(after ?? 'null'),
    }));
  const addPasskey = async (name: string, session = worldIdSession(name, name)): Promise<boolean> => {
    const passkey = { credentialId: name, publicKey: digest(name), signCount: 3 };
    return await store.people.addPointer({ ...cookiePointer(name, session), ...passkey, kind: 'passkey' });
  };

  describe('people', () => {
    it('are found by the cookie of their browser and by their sub, until both end, by their client alone', async () => {
      const { session } = seenPerson('ann');
      const ann = { sub: session.sub, sessionId: session.sessionId, binding: 'bound' };
      expect(await see(seenPerson('ann'))).toBe('seen');
      expect([await find('ann'), await find('ann', END - 1)]).toEqual([[ann], [ann]]);
      const others = [find('ann', END), find('bob'), find('ann', START, OTHER)];
      expect(await Promise.all([...others, find('ann', START, CLIENT_ID, 'passkey')])).toEqual([
        [],
        [],
        [],
        [],
      ]);
      expect(await store.people.findBySub(CLIENT_ID, session.sub, END - 1)).toEqual(ann);
      expect(await store.people.findBySub(CLIENT_ID, session.sub, END)).toBeUndefined();
      expect(await store.people.findBySub(OTHER, session.sub, START)).toBeUndefined();
    });

    it('share a browser, the last one first, five at most', async () => {
      for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
        const session = worldIdSession(name, name, { usedAt: START + index });
        await see({ session, isKnown: false, beganAt: START, pointer: cookiePointer('shared', session) });
      }
      const names = ['f', 'e', 'd', 'c', 'b'];
      expect((await find('shared')).map(({ sub }) => sub)).toEqual(names.map(digest));
      await store.people.forgetBrowser(CLIENT_ID, digest('shared'));
      expect(await find('shared')).toEqual([]);
      expect(await store.people.count(CLIENT_ID, START)).toBe(6);
    });

    it('keep their session: another person with it is refused, and nothing is stored', async () => {
      await see(seenPerson('ann'));
      const session = { ...seenPerson('ann').session, sub: digest('eve') };
      const pointer = cookiePointer('of eve', session);
      for (const isKnown of [false, true]) {
        expect(await see({ session, isKnown, beganAt: START, pointer })).toBe('other_person');
      }
      expect([await find('of eve'), await store.people.count(CLIENT_ID, START)]).toEqual([[], 1]);
    });

    it('who return stay known for longer, unless their session was forgotten meanwhile', async () => {
      const { session } = seenPerson('ann');
      await see(seenPerson('ann'));
      const later = { ...session, usedAt: START + 5, expiresAt: END + 5 };
      const again = { session: later, isKnown: true, beganAt: START, pointer: undefined };
      expect(await see(again)).toBe('seen');
      expect((await store.people.of(CLIENT_ID, session.sub, START)).sessions).toEqual([later]);
      await store.people.forget(CLIENT_ID, session.sub);
      expect(await see(again)).toBe('other_person');
      expect(await store.people.count(CLIENT_ID, START)).toBe(0);
    });

    it('have twenty sessions and twenty browsers at most: those used least recently are forgotten', async () => {
      for (let index = 0; index <= MAX_KEPT; index++) {
        const session = worldIdSession(`s${index}`, 'ann', { usedAt: START + index });
        await see({ session, isKnown: false, beganAt: START, pointer: cookiePointer(`b${index}`, session) });
      }
      const { sessions, pointers } = await store.people.of(CLIENT_ID, digest('ann'), START);
      expect([sessions.length, pointers.length]).toEqual([MAX_KEPT, MAX_KEPT]);
      expect(sessions.at(-1)).toEqual(worldIdSession('s1', 'ann', { usedAt: START + 1 }));
      expect(pointers.at(-1)?.pointerHash).toEqual(digest('b1'));
    });

    it('add passkeys to sessions that are not forgotten, whose counters are kept', async () => {
      expect(await addPasskey('ann')).toBe(false);
      await see(seenPerson('ann'));
      expect(await addPasskey('ann key', seenPerson('ann').session)).toBe(true);
      await store.people.usePasskey(digest('ann key'), 9, START + 7);
      expect(await store.people.findPasskey(digest('ann key'), START)).toMatchObject({
        sub: digest('ann'),
        credentialId: 'ann key',
        publicKey: digest('ann key'),
        signCount: 9,
        usedAt: START + 7,
      });
      expect(await store.people.findPasskey(digest('ann key'), END)).toBeUndefined();
      expect(await store.people.findPasskey(digest('ann'), START)).toBeUndefined();
      expect(await find('ann key', START, CLIENT_ID, 'passkey')).toHaveLength(1);
    });

    it('are listed by the digest of their sub, page by page, counted, and found by it', async () => {
      const names = ['ann', 'bob', 'cid'];
      for (const name of names) await see(seenPerson(name));
      await see({ ...seenPerson('ann'), session: worldIdSession('second', 'ann', { usedAt: START + 9 }) });
      await see(seenPerson('of another client', { clientId: OTHER }));
      await see(seenPerson('expired', { expiresAt: START }));
      const first = await store.people.page(CLIENT_ID, START, 2);
      const rest = await store.people.page(CLIENT_ID, START, 2, first.at(-1)?.personHash);
      const hashes = names.map((name) => personHashOf(digest(name))).sort(Buffer.compare);
      expect([...first, ...rest].map(({ personHash }) => personHash)).toEqual(hashes);
      const ann = {
        personHash: personHashOf(digest('ann')),
        sessions: 2,
        createdAt: START,
        usedAt: START + 9,
      };
      expect([...first, ...rest]).toContainEqual(ann);
      expect(await store.people.count(CLIENT_ID, START)).toBe(3);
      const subOf = (name: string, clientId = CLIENT_ID): Promise<Uint8Array | undefined> =>
        store.people.findSub(clientId, personHashOf(digest(name)), START);
      expect(await Promise.all([subOf('bob'), subOf('dan'), subOf('bob', OTHER), subOf('expired')])).toEqual([
        digest('bob'),
        undefined,
        undefined,
        undefined,
      ]);
    });

    it('are forgotten by an operator: a pointer, a session with its pointers, or all, each with an audit row', async () => {
      const ann = digest('ann');
      const forget = (what = {}): Promise<boolean> => store.people.forgetByOperator(CLIENT_ID, ann, what);
      const sessions = ['one', 'two', 'three'].map((name) => worldIdSession(name, 'ann'));
      for (const session of sessions) {
        await see({
          session,
          isKnown: false,
          beganAt: START,
          pointer: cookiePointer(shortDigest(session.sessionId), session),
        });
      }
      await see(seenPerson('bob'));
      const left = async (): Promise<number[]> => {
        const { sessions, pointers } = await store.people.of(CLIENT_ID, ann, START);
        return [sessions.length, pointers.length];
      };
      const [first, second] = sessions.map(({ sessionId }) => ({ sessionId }));
      const pointerHash = digest(shortDigest(second?.sessionId ?? ''));
      expect([await forget(first), await left()]).toEqual([true, [2, 2]]);
      expect([await forget({ pointerHash }), await left()]).toEqual([true, [2, 1]]);
      expect([await forget(), await left()]).toEqual([true, [0, 0]]);
      const nothing = [await forget(), await forget(first), await forget({ pointerHash })];
      expect(nothing).toEqual([false, false, false]);
      expect(await find('bob')).toHaveLength(1);
      const person = `sub:${shortDigest(ann)}`;
      expect(await audited('person.forgotten')).toEqual(
        [{}, { forgotten: shortDigest(pointerHash) }, { forgotten: shortDigest(first?.sessionId ?? '') }].map(
          (what) => ({ target: CLIENT_ID, before: { person, ...what }, after: null }),
        ),
      );
    });

    it('are forgotten with their client, however many they are, with its permissions', async () => {
      await store.apps.create(appRow());
      await see(seenPerson('ann'));
      await see(seenPerson('of another client', { clientId: OTHER }));
      await store.people.addBeginning(CLIENT_ID, digest('code'), START, END);
      await store.apps.remove(CLIENT_ID);
      expect(await store.rowCounts()).toMatchObject({
        worldid_sessions: 1,
        signin_pointers: 1,
        signin_beginnings: 0,
      });
    });
  });

  describe('permissions to begin anew', () => {
    it('have a number of their own for each client, from 2, and an audit row', async () => {
      const codes = Array.from({ length: 6 }, (_, index) => `code ${index}`);
      const given = await Promise.all(
        codes.map((code) => store.people.addBeginning(CLIENT_ID, digest(code), START, END)),
      );
      expect(await store.people.addBeginning(OTHER, digest('other'), START, END)).toBe(2);
      // One of two that take the same number at once is refused, and asks again.
      const numbers = given.filter((number) => number !== undefined).sort();
      expect(numbers).toEqual(numbers.map((_, index) => index + 2));
      const rows = await audited('person.beginning_allowed');
      expect(rows).toHaveLength(numbers.length + 1);
      expect(rows[0]).toEqual({
        target: OTHER,
        before: null,
        after: { expires_at: new Date(END).toISOString() },
      });
    });

    it('are used once, by their client, until they expire', async () => {
      await store.people.addBeginning(CLIENT_ID, digest('code'), START, END);
      const lookUp = (now = START, clientId = CLIENT_ID, code = 'code'): Promise<number | undefined> =>
        store.people.findBeginning(clientId, digest(code), now);
      expect(await Promise.all([lookUp(END - 1), lookUp(END)])).toEqual([2, undefined]);
      expect(await Promise.all([lookUp(START, OTHER), lookUp(START, CLIENT_ID, 'x')])).toEqual([
        undefined,
        undefined,
      ]);
      const take = () => guarded(driver, [[takeBeginning(CLIENT_ID, 2, START), 'taken']], 'used');
      expect([await take(), await take(), await lookUp()]).toEqual(['used', 'taken', undefined]);
      expect(await store.people.addBeginning(CLIENT_ID, digest('next'), START, END)).toBe(3);
    });
  });

  describe('the relying party of sign-in', () => {
    it('is the first one, until an operator replaces it, which forgets the people of all clients', async () => {
      expect(await store.relyingParty.find()).toBeUndefined();
      expect(await store.relyingParty.establish(RP_ID, START)).toBe(RP_ID);
      const next = 'rp_fedcba9876543210';
      expect(await store.relyingParty.establish(next, START)).toBe(RP_ID);
      await see(seenPerson('ann'));
      await see(seenPerson('bob', { clientId: OTHER }));
      await store.people.addBeginning(CLIENT_ID, digest('code'), START, END);
      expect(await store.relyingParty.replace(next, RP_ID, START)).toBe(2);
      expect(await store.relyingParty.find()).toBe(next);
      expect(await store.rowCounts()).toMatchObject({
        worldid_sessions: 0,
        signin_pointers: 0,
        signin_beginnings: 1,
      });
      expect(await audited('signin.relying_party_replaced')).toEqual([
        { target: next, before: { rp_id: RP_ID }, after: { rp_id: next } },
      ]);
    });
  });
}
