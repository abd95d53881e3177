import { describe, expect, it } from 'vitest';
import type { PointerRow, SeenPerson } from '../../../../../src/storage/signin/people.ts';
import { appRow, bytes32 } from '../../rows.ts';
import { ACCEPTED, digest, newTransaction, pendingBounds, START } from '../../signin-rows.ts';
import { store } from '../../subject.ts';

const CLIENT_ID = appRow().appId;
const SUB = bytes32(9);
const END = START + 86_400_000;
const LATER = END + 86_400_000;

const sessionId = (first: number): Uint8Array => new Uint8Array(64).fill(first);

function passkey(name: string, over: Partial<PointerRow> = {}): PointerRow {
  return {
    pointerHash: digest(name),
    clientId: CLIENT_ID,
    sub: SUB,
    sessionId: sessionId(1),
    kind: 'passkey',
    credentialId: `id of ${name}`,
    publicKey: bytes32(3),
    signCount: 0,
    createdAt: START,
    usedAt: START,
    expiresAt: END,
    ...over,
  };
}

function seen(over: Partial<SeenPerson['session']> = {}, beganAt = START): SeenPerson {
  const session = {
    clientId: CLIENT_ID,
    sessionId: sessionId(1),
    sub: SUB,
    binding: 'bound',
    createdAt: START,
    usedAt: START,
    expiresAt: END,
    ...over,
  } as const;
  return { session, isKnown: false, pointer: undefined, beganAt };
}

/** Tests for passkeys, by which sign-in finds people. */
export function describePasskeys(): void {
  /** Completes a sign-in that has shown a person. */
  const signIn = async (txn: string, person: SeenPerson): Promise<void> => {
    await store.transactions.begin(newTransaction(txn), undefined, pendingBounds(100));
    await store.transactions.storeAnswer(txn, 1, { iv: 'aXY=', payload: 'cA==' }, START + 1);
    expect(await store.transactions.complete(txn, 1, ACCEPTED, { person }, START + 1)).toBe('completed');
  };
  const pointers = async (): Promise<PointerRow[]> => (await store.people.of(CLIENT_ID, SUB, START)).pointers;

  describe('passkeys', () => {
    it('are stored while their session is, and found by their user handle until they expire', async () => {
      expect(await store.people.addPointer(passkey('one'))).toBe(false);
      await signIn('txn', seen());
      expect(await store.people.addPointer(passkey('one'))).toBe(true);
      expect(await store.people.findPasskey(digest('one'), END - 1)).toEqual(passkey('one'));
      expect(await store.people.findPasskey(digest('one'), END)).toBeUndefined();
      expect(await store.people.findPasskey(digest('two'), START)).toBeUndefined();
    });

    it('are kept with a session that is proven after their use, which they find from then on', async () => {
      await signIn('first', seen());
      await store.people.addPointer(passkey('used'));
      await store.people.addPointer(passkey('unused'));
      await store.people.addPointer(passkey('of another', { sub: bytes32(8), sessionId: sessionId(2) }));
      await store.people.usePasskey(digest('used'), 7, START + 100);
      await signIn(
        'second',
        seen({ sessionId: sessionId(2), usedAt: START + 200, expiresAt: LATER }, START + 50),
      );
      const used = passkey('used', {
        signCount: 7,
        usedAt: START + 100,
        sessionId: sessionId(2),
        expiresAt: LATER,
      });
      expect(await pointers()).toEqual([used, passkey('unused')]);
    });

    it('are forgotten one by one, with their session, or with their person', async () => {
      await signIn('first', seen());
      await signIn('second', seen({ sessionId: sessionId(2) }));
      for (const name of ['one', 'two']) await store.people.addPointer(passkey(name));
      await store.people.addPointer(passkey('three', { sessionId: sessionId(2) }));
      await store.people.forget(CLIENT_ID, bytes32(8), { pointerHash: digest('one') });
      expect(await pointers()).toHaveLength(3);
      await store.people.forget(CLIENT_ID, SUB, { pointerHash: digest('one') });
      expect(await pointers()).toHaveLength(2);
      await store.people.forget(CLIENT_ID, SUB, { sessionId: sessionId(1) });
      expect(await pointers()).toEqual([passkey('three', { sessionId: sessionId(2) })]);
      await store.people.forget(CLIENT_ID, SUB);
      expect(await pointers()).toEqual([]);
    });
  });

  it('a sign-in forgets the cookie of its browser before its end', async () => {
    const knownHash = digest('cookie');
    await store.transactions.begin(newTransaction('txn', { knownHash }), undefined, pendingBounds(100));
    expect((await store.transactions.find('txn', START))?.knownHash).toEqual(knownHash);
    await store.transactions.forgetBrowser('txn');
    expect((await store.transactions.find('txn', START))?.knownHash).toBeNull();
  });
}
