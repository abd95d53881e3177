import { describe, expect, it } from 'vitest';
import type { KeyRotation, SigningKeyRow } from '../../../../../src/storage/signin/signing-keys.ts';
import { START, signingKeyRow } from '../../signin-rows.ts';
import { store } from '../../subject.ts';

const ACTIVE = signingKeyRow('a', { state: 'active', activatedAt: START, isDevelopment: true });
const NEXT = signingKeyRow('b');
const HOUR_MS = 3_600_000;

/** Tests for signing keys. */
export function describeSigningKeys(): void {
  const states = async (now = START): Promise<string[]> =>
    (await store.signingKeys.list('signin', now)).map(({ kid, state }) => `${kid} ${state}`);
  const rotation = (change: Partial<KeyRotation> = {}): KeyRotation => ({
    use: 'signin',
    activeKid: 'a',
    nextKid: 'b',
    newNext: signingKeyRow('c'),
    at: START + HOUR_MS,
    retiredUntil: START + 2 * HOUR_MS,
    ...change,
  });

  describe('signing keys', () => {
    it('are initialised once, with an active and a next key', async () => {
      expect(await store.signingKeys.initialise(ACTIVE, NEXT)).toBe(true);
      expect(await store.signingKeys.list('signin', START)).toEqual([ACTIVE, NEXT]);
      const others: [SigningKeyRow, SigningKeyRow] = [
        signingKeyRow('x', { state: 'active', activatedAt: START }),
        signingKeyRow('y'),
      ];
      expect(await store.signingKeys.initialise(...others)).toBe(false);
      expect(await store.signingKeys.list('signin', START)).toEqual([ACTIVE, NEXT]);
      expect(await states()).toEqual(['a active', 'b next']);
    });

    it('rotate: the active key is retired, the next one becomes active, a new one is next', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      expect(await store.signingKeys.rotate(rotation())).toBe(true);
      expect(await store.signingKeys.list('signin', START + HOUR_MS)).toEqual([
        { ...NEXT, state: 'active', activatedAt: START + HOUR_MS },
        signingKeyRow('c'),
        { ...ACTIVE, state: 'retired', retiredAt: START + HOUR_MS, expiresAt: START + 2 * HOUR_MS },
      ]);
    });

    it('leave the set when they expire, and the table in the next sweep', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      await store.signingKeys.rotate(rotation());
      const end = START + 2 * HOUR_MS;
      expect(await states(end - 1)).toEqual(['b active', 'c next', 'a retired']);
      expect(await states(end)).toEqual(['b active', 'c next']);
      expect((await store.sweep(end - 1, 10)).signing_keys).toBe(0);
      expect((await store.sweep(Number.MAX_SAFE_INTEGER, 10)).signing_keys).toBe(1);
      expect(await states()).toEqual(['b active', 'c next']);
    });

    it('are listed with the latest retired first', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      await store.signingKeys.rotate(rotation());
      const second = { activeKid: 'b', nextKid: 'c', newNext: signingKeyRow('d'), at: START + HOUR_MS + 1 };
      await store.signingKeys.rotate(rotation(second));
      expect(await states()).toEqual(['c active', 'd next', 'b retired', 'a retired']);
    });

    it('include no compromised key after a rotation that deletes it', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      expect(await store.signingKeys.rotate(rotation({ retiredUntil: null }))).toBe(true);
      expect(await states()).toEqual(['b active', 'c next']);
    });

    it.each([
      ['the active key is different', { activeKid: 'z' }],
      ['the active key is different and was compromised', { activeKid: 'z', retiredUntil: null }],
      ['the next key is different', { nextKid: 'z' }],
      ['the two are swapped', { activeKid: 'b', nextKid: 'a' }],
      ['the new key has a taken kid', { newNext: signingKeyRow('a') }],
    ] as const)('do not rotate when %s', async (_, change) => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      expect(await store.signingKeys.rotate(rotation(change))).toBe(false);
      expect(await store.signingKeys.list('signin', START)).toEqual([ACTIVE, NEXT]);
    });

    it('rotate once in parallel rotations', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      const kids = ['c', 'd', 'e', 'f'];
      const won = await Promise.all(
        kids.map((kid) => store.signingKeys.rotate(rotation({ newNext: signingKeyRow(kid) }))),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await states()).toEqual(['b active', `${kids[won.indexOf(true)]} next`, 'a retired']);
    });

    it('allow the next key to be replaced while it is next', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      expect(await store.signingKeys.replaceNext('a', signingKeyRow('c'))).toBe(false);
      expect(await store.signingKeys.replaceNext('b', signingKeyRow('a'))).toBe(false);
      expect(await states()).toEqual(['a active', 'b next']);
      expect(await store.signingKeys.replaceNext('b', signingKeyRow('c'))).toBe(true);
      expect(await store.signingKeys.replaceNext('b', signingKeyRow('d'))).toBe(false);
      expect(await states()).toEqual(['a active', 'c next']);
    });

    it('are removed only in state retired', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      await store.signingKeys.rotate(rotation());
      for (const kid of ['b', 'c', 'z']) expect(await store.signingKeys.removeRetired(kid)).toBe(false);
      expect(await store.signingKeys.removeRetired('a')).toBe(true);
      expect(await store.signingKeys.removeRetired('a')).toBe(false);
      expect(await states()).toEqual(['b active', 'c next']);
    });

    it('are resealed only if the stored private part is the expected one', async () => {
      await store.signingKeys.initialise(ACTIVE, NEXT);
      const sealed = 'eyJhbGciOiJkaXIifQ..iv.ciphertext.tag';
      expect(await store.signingKeys.reseal('a', NEXT.privateJwk, sealed)).toBe(false);
      expect(await store.signingKeys.reseal('a', ACTIVE.privateJwk, sealed)).toBe(true);
      expect(await store.signingKeys.reseal('a', ACTIVE.privateJwk, 'other')).toBe(false);
      expect(await store.signingKeys.list('signin', START)).toEqual([
        { ...ACTIVE, privateJwk: sealed, isSealed: true },
        NEXT,
      ]);
    });
  });
}
