// Rules: spec/sign-in.md#refresh-tokens
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../../../src/config/apps/client-of.ts';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import type { NewCode } from '../../../../../src/storage/signin/grants.ts';
import type {
  NewRefreshFamily,
  RefreshFamilyRow,
} from '../../../../../src/storage/signin/refresh-families.ts';
import { appRow, bytes32 } from '../../rows.ts';
import { ACCEPTED, digest, newCode, START } from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const APP = appRow().appId;
const OTHER = 'app_other';
const TOKENS_END = START + 3_600_000;
const END = START + 30 * 86_400_000;

/** Tests for families of refresh tokens. */
export function describeRefreshTokens(): void {
  const newFamily = (name: string, change: Partial<NewRefreshFamily> = {}): NewRefreshFamily => ({
    lookupHash: digest(`lookup ${name}`),
    tokenHash: digest(`${name} 1`),
    scope: 'openid offline_access',
    sid: null,
    jkt: null,
    expiresAt: END,
    ...change,
  });
  /** Begins a family with the id `id-<name>`, as the exchange of a code does. */
  const begin = async (
    name: string,
    at = START,
    code: Partial<NewCode> = {},
    family: Partial<NewRefreshFamily> = {},
  ): Promise<void> => {
    const spent = { hash: digest(`spent ${name}`), expiresAt: START + 1 };
    const row = newCode(name, { codeExpiresAt: at + 60_000, expiresAt: at + 60_000, ...code });
    expect(await store.grants.issue(row, spent, START)).toBe(true);
    const { codeHash, clientId } = row;
    const familyFor = (): NewRefreshFamily => newFamily(name, family);
    const use = await store.grants.useCode(codeHash, clientId, `id-${name}`, at + 3_600_000, at, familyFor);
    expect(use.outcome).toBe('used');
  };
  const find = (name: string, now = START): Promise<RefreshFamilyRow | undefined> =>
    store.refreshTokens.find(digest(`lookup ${name}`), now);
  const rotate = (name: string, from: number, to: number | string, now = START + 1): Promise<string> =>
    store.refreshTokens.rotate(
      {
        lookupHash: digest(`lookup ${name}`),
        from: digest(`${name} ${from}`),
        to: digest(`${name} ${to}`),
        tokensEndAt: now + 3_600_000,
      },
      now,
    );
  const revoked = (): Promise<unknown[]> =>
    driver.read(pointOf('select jti, expires_at from revoked_tokens order by jti'));
  const left = async (): Promise<string[]> =>
    (await driver.read(pointOf('select family_id from refresh_families order by family_id'))).map(([id]) =>
      String(id),
    );

  describe('families of refresh tokens', () => {
    it('begin with the use of a code, in the same transaction', async () => {
      await begin('a', START, {}, { sid: 'session', jkt: 'thumbprint' });
      expect(await find('a')).toEqual({
        ...newFamily('a', { sid: 'session', jkt: 'thumbprint' }),
        familyId: 'id-a',
        clientId: APP,
        accepted: ACCEPTED,
        createdAt: START,
        lastUsedAt: START,
        tokensEndAt: TOKENS_END,
      });
      // The same key again: the transaction fails, and the code stays usable.
      const again = newCode('b');
      await store.grants.issue(again, { hash: digest('spent'), expiresAt: START + 1 }, START);
      const use = (name: string): Promise<unknown> =>
        store.grants.useCode(again.codeHash, APP, 'id-b', TOKENS_END, START, () => newFamily(name));
      await expect(use('a')).rejects.toMatchObject({ code: 'store.failed' });
      expect(await use('b')).toMatchObject({ outcome: 'used' });
    });

    it('do not begin with a code that is used again', async () => {
      await begin('a');
      const use = await store.grants.useCode(digest('a'), APP, 'id-2', TOKENS_END, START, () =>
        newFamily('b'),
      );
      expect(use).toEqual({ outcome: 'replayed' });
      expect(await left()).toEqual([]);
    });

    it('keep their person, scope and end when a token replaces another one', async () => {
      await begin('a');
      const before = await find('a');
      expect(await rotate('a', 1, 2, START + 5000)).toBe('rotated');
      expect(await find('a')).toEqual({
        ...before,
        tokenHash: digest('a 2'),
        lastUsedAt: START + 5000,
        tokensEndAt: TOKENS_END + 5000,
      });
      expect(await rotate('a', 2, 3, START + 4000)).toBe('rotated');
      expect(await find('a')).toMatchObject({ tokensEndAt: TOKENS_END + 5000, expiresAt: END });
    });

    it('end when a replaced token comes back, with all their access tokens', async () => {
      await begin('a');
      await begin('b');
      expect(await rotate('a', 1, 2, START + 5000)).toBe('rotated');
      expect(await rotate('a', 1, 3)).toBe('replayed');
      expect(await left()).toEqual(['id-b']);
      expect(await revoked()).toEqual([['id-a', TOKENS_END + 5000]]);
      expect(await rotate('a', 2, 3)).toBe('unknown');
      expect(await rotate('nobody', 1, 2)).toBe('unknown');
      expect(await store.grants.isRevoked('jti', START, 'id-a')).toBe(true);
      expect(await store.grants.isRevoked('jti', START, 'id-b')).toBe(false);
      expect(await store.grants.isRevoked('id-a', START)).toBe(true);
    });

    it('end with the replay of their code, also after a token was replaced', async () => {
      await begin('a');
      await rotate('a', 1, 2, START + 5000);
      expect(await store.grants.useCode(digest('a'), APP, 'id-2', TOKENS_END, START + 6000)).toEqual({
        outcome: 'replayed',
      });
      expect(await left()).toEqual([]);
      expect(await revoked()).toEqual([['id-a', TOKENS_END + 5000]]);
    });

    it('end at their time, and can then be swept', async () => {
      await begin('a');
      expect(await find('a', END - 1)).toBeDefined();
      expect(await find('a', END)).toBeUndefined();
      expect(await rotate('a', 1, 2, END)).not.toBe('rotated');
      await begin('b');
      expect((await store.sweep(END - 1, 10)).refresh_families).toBe(0);
      expect((await store.sweep(END, 10)).refresh_families).toBe(1);
    });

    it('end once when they are ended', async () => {
      await begin('a');
      expect(await store.refreshTokens.end(digest('lookup a'))).toBe(true);
      expect(await store.refreshTokens.end(digest('lookup a'))).toBe(false);
      expect(await revoked()).toEqual([['id-a', TOKENS_END]]);
    });

    it('never have two tokens in force when one is used twice at once', async () => {
      for (let round = 0; round < 25; round++) {
        const name = `race-${round}`;
        await begin(name);
        const outcomes = await Promise.all([
          rotate(name, 1, 'x'),
          rotate(name, 1, 'y'),
          rotate(name, 1, 'z'),
        ]);
        expect(outcomes.filter((outcome) => outcome === 'rotated')).toHaveLength(1);
        expect(outcomes).toContain('replayed');
        expect(await find(name)).toBeUndefined();
        expect(await store.grants.isRevoked('jti', START, `id-${name}`)).toBe(true);
      }
    });

    it('are at most 20 for a person at a client: the oldest ends when another one begins', async () => {
      for (let number = 1; number <= 20; number++) await begin(String(number), START + number);
      await begin('other client', START, { clientId: OTHER });
      await begin('other person', START, { accepted: { ...ACCEPTED, sub: bytes32(3) } });
      expect(await left()).toHaveLength(22);
      await begin('21', START + 21);
      expect(await left()).toHaveLength(22);
      expect(await find('1')).toBeUndefined();
      expect(await find('2')).toBeDefined();
      expect(await revoked()).toEqual([['id-1', TOKENS_END + 1]]);
    });

    it('stay within the bound when many begin at once', async () => {
      for (let number = 1; number <= 20; number++) await begin(String(number), START + number);
      const names = Array.from({ length: 8 }, (_, index) => `new-${index}`);
      await Promise.all(names.map((name) => begin(name, START + 100)));
      expect(await left()).toHaveLength(20);
      for (const name of names) expect(await find(name)).toBeDefined();
    });
  });

  describe('families of an app', () => {
    beforeEach(() => store.apps.create(appRow({ client: { ...DEFAULT_CLIENT, refreshTokens: true } })));

    const beginBoth = async (): Promise<void> => {
      await begin('a');
      await begin('b', START + 1);
      await begin('c', START, { clientId: OTHER });
    };

    it.each([
      ['is disabled', () => store.apps.update(APP, { status: 'disabled' }, START)],
      ['may no longer have them', () => store.apps.update(APP, { client: DEFAULT_CLIENT }, START)],
      ['is removed', () => store.apps.remove(APP)],
    ])('end when the app %s', async (_name, change) => {
      await beginBoth();
      await change();
      expect(await left()).toEqual(['id-c']);
      expect((await revoked()).flat()).toEqual(['id-a', TOKENS_END, 'id-b', TOKENS_END + 1]);
    });

    it('end when the app is enabled, too: a process may not yet have known that it was disabled', async () => {
      await store.apps.update(APP, { status: 'disabled' }, START);
      await beginBoth();
      await store.apps.update(APP, { status: 'active' }, START + 1);
      expect(await left()).toEqual(['id-c']);
    });

    it('stay when the app changes otherwise', async () => {
      await beginBoth();
      const client = { ...DEFAULT_CLIENT, refreshTokens: true, requirePkce: true };
      await store.apps.update(APP, { name: 'New', status: 'active', client }, START);
      expect(await left()).toHaveLength(3);
    });

    it('are listed in pages, the latest first', async () => {
      await beginBoth();
      await begin('d', START + 1);
      const ids = async (limit: number, after?: RefreshFamilyRow): Promise<string[]> =>
        (await store.refreshTokens.page(APP, limit, START + 2, after)).map(({ familyId }) => familyId);
      expect(await ids(10)).toEqual(['id-d', 'id-b', 'id-a']);
      const [, second] = await store.refreshTokens.page(APP, 2, START + 2);
      expect(await ids(10, second)).toEqual(['id-a']);
      expect(await store.refreshTokens.page(APP, 10, END)).toEqual([]);
    });

    it('are ended by an operator, one or all, with an entry in the audit log', async () => {
      await beginBoth();
      const entries = async (): Promise<unknown[]> =>
        (await store.audit.listAfter(0, 100)).flatMap(({ action, target, after }) =>
          action === 'refresh_tokens.revoked' ? [[target, JSON.parse(after ?? '')]] : [],
        );
      expect(await store.refreshTokens.endByOperator(APP, 'id-c')).toBe(0);
      expect(await entries()).toEqual([]);
      expect(await store.refreshTokens.endByOperator(APP, 'id-a')).toBe(1);
      expect(await store.refreshTokens.endByOperator(APP)).toBe(1);
      expect(await store.refreshTokens.endByOperator(APP)).toBe(0);
      expect(await entries()).toEqual([
        [APP, { family: expect.stringMatching(/^[0-9a-f]{8}$/) }],
        [APP, { family: 'all' }],
      ]);
      expect(await left()).toEqual(['id-c']);
      expect((await revoked()).map((row) => (row as unknown[])[0])).toEqual(['id-a', 'id-b']);
    });
  });
}
