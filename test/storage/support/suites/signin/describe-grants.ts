import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import type { CodeUse, NewCode } from '../../../../../src/storage/signin/grants.ts';
import { appRow } from '../../rows.ts';
import { CODE_END, digest, newCode, START } from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const HOUR_MS = 3_600_000;
const TOKENS_END = START + HOUR_MS;
const MONTH_MS = 30 * 86_400_000;

/** Tests for codes, revoked tokens and spent proofs. */
export function describeGrants(): void {
  const issue = async (code: NewCode): Promise<void> => {
    const spent = { hash: digest(`spent ${code.expiresAt}`), expiresAt: START + 1 };
    expect(await store.grants.issue(code, spent, START)).toBe(true);
  };
  const present = (
    jti: string,
    now = START + 1000,
    clientId = appRow().appId,
    tokensEndAt = TOKENS_END,
  ): Promise<CodeUse> => store.grants.useCode(digest('code'), clientId, jti, tokensEndAt, now);
  const revoked = (): Promise<unknown[]> =>
    driver.read(pointOf('select jti, expires_at from revoked_tokens order by jti'));

  describe('authorization codes', () => {
    it('are used once, which erases person and nonce from the database', async () => {
      const code = newCode('code');
      await issue(code);
      const used = { ...code, usedAt: START + 1000, jti: 'jti-1', expiresAt: TOKENS_END };
      expect(await present('jti-1')).toEqual({ outcome: 'used', row: used });
      const left = await driver.read(
        pointOf('select nonce, sub, level, auth_time, used_at, jti, expires_at from authorization_codes'),
      );
      expect(left).toEqual([[null, null, null, null, START + 1000, 'jti-1', TOKENS_END]]);
      expect(await store.grants.isRevoked('jti-1', START)).toBe(false);
    });

    it('can be issued without PKCE and nonce', async () => {
      const code = newCode('code', { codeChallenge: null, nonce: null });
      await issue(code);
      expect(await present('jti-1')).toMatchObject({
        outcome: 'used',
        row: { codeChallenge: null, nonce: null, accepted: code.accepted },
      });
    });

    it('revoke the token of their first use when they are used again, until the token expires', async () => {
      await issue(newCode('code'));
      await present('jti-1');
      expect(await present('jti-2')).toEqual({ outcome: 'replayed' });
      expect(await revoked()).toEqual([['jti-1', TOKENS_END]]);
      expect(await present('jti-3')).toEqual({ outcome: 'replayed' });
      expect(await revoked()).toEqual([['jti-1', TOKENS_END]]);
    });

    it('revoke after their own expiry as long as a token may be valid', async () => {
      await issue(newCode('code'));
      await present('jti-1');
      expect(await present('jti-2', TOKENS_END - 1)).toEqual({ outcome: 'replayed' });
      expect(await store.grants.isRevoked('jti-1', TOKENS_END - 1)).toBe(true);
      expect(await present('jti-3', TOKENS_END)).toEqual({ outcome: 'unknown' });
    });

    it('keep their row until they expire if the tokens expire earlier', async () => {
      await issue(newCode('code'));
      const used = await present('jti-1', START + 1000, appRow().appId, START + 2000);
      expect(used).toMatchObject({ outcome: 'used', row: { expiresAt: CODE_END } });
      expect(await present('jti-2', CODE_END - 1)).toEqual({ outcome: 'replayed' });
    });

    it('are unknown to another client, whose attempt uses up and revokes nothing', async () => {
      await issue(newCode('code'));
      expect(await present('jti-1', START, 'app_other')).toEqual({ outcome: 'unknown' });
      expect(await present('jti-2')).toMatchObject({ outcome: 'used' });
      expect(await present('jti-3', START, 'app_other')).toEqual({ outcome: 'unknown' });
      expect(await revoked()).toEqual([]);
    });

    it('are unknown from their expiry on, and usable until then', async () => {
      await issue(newCode('code', { expiresAt: CODE_END + HOUR_MS }));
      expect(await present('jti-1', CODE_END)).toEqual({ outcome: 'unknown' });
      expect(await present('jti-2', CODE_END - 1)).toMatchObject({ outcome: 'used' });
    });

    it('are unknown if no code has the hash', async () => {
      expect(await present('jti-1')).toEqual({ outcome: 'unknown' });
      expect(await revoked()).toEqual([]);
    });

    it('succeed in one of 50 parallel uses, whose token is revoked', async () => {
      await issue(newCode('code'));
      const uses = await Promise.all(Array.from({ length: 50 }, (_, number) => present(`jti-${number}`)));
      const winners = uses.flatMap((use) => (use.outcome === 'used' ? [use.row.jti] : []));
      expect(winners).toHaveLength(1);
      expect(uses.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(49);
      expect(await revoked()).toEqual([[winners[0], TOKENS_END]]);
    });

    it('cannot be issued twice with one hash', async () => {
      await issue(newCode('code'));
      const spent = { hash: digest('other'), expiresAt: START + 1 };
      await expect(store.grants.issue(newCode('code'), spent, START)).rejects.toMatchObject({
        code: 'store.failed',
      });
      expect((await store.rowCounts()).spent_signins).toBe(1);
    });
  });

  describe('revoked tokens', () => {
    it('are revoked until they expire', async () => {
      expect(await store.grants.isRevoked('jti-1', START)).toBe(false);
      await store.grants.revoke('jti-1', TOKENS_END);
      expect(await store.grants.isRevoked('jti-1', TOKENS_END - 1)).toBe(true);
      expect(await store.grants.isRevoked('jti-1', TOKENS_END)).toBe(false);
      expect(await store.grants.isRevoked('jti-2', START)).toBe(false);
    });

    it('keep the later of two expiry times', async () => {
      for (const end of [TOKENS_END, TOKENS_END + 5, TOKENS_END - 5]) {
        await store.grants.revoke('jti-1', end);
      }
      expect(await revoked()).toEqual([['jti-1', TOKENS_END + 5]]);
    });
  });

  describe('spent proofs', () => {
    const spend = (now: number): Promise<boolean> =>
      store.grants.issue(undefined, { hash: digest('proof'), expiresAt: now + MONTH_MS }, now);

    it('are refused until they expire, without a code', async () => {
      expect(await spend(START)).toBe(true);
      expect(await spend(START + MONTH_MS - 1)).toBe(false);
      const again = { hash: digest('proof'), expiresAt: START + 2 * MONTH_MS };
      expect(await store.grants.issue(newCode('code'), again, START + 1)).toBe(false);
      expect((await store.rowCounts()).authorization_codes).toBe(0);
      expect(await spend(START + MONTH_MS)).toBe(true);
      expect(await spend(START + MONTH_MS + 1)).toBe(false);
    });

    it('are spent by one of many parallel calls', async () => {
      const won = await Promise.all(Array.from({ length: 20 }, () => spend(START)));
      expect(won.filter(Boolean)).toHaveLength(1);
    });
  });

  describe('used proofs of possession', () => {
    const proof = { hash: digest('proof'), expiresAt: START + 1000 };

    it('are used by one of many parallel calls, and stay used until they are swept', async () => {
      const won = await Promise.all(Array.from({ length: 20 }, () => store.grants.useProof(proof)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.grants.useProof({ ...proof, expiresAt: START + 2000 })).toBe(false);
      expect(await store.sweep(START + 1000, 10)).toMatchObject({ dpop_proofs: 1 });
      expect(await store.grants.useProof(proof)).toBe(true);
    });

    it('are recorded with the use of a code, which a used one does not use up', async () => {
      await issue(newCode('code', { dpopJkt: 'jkt' }));
      const { appId } = appRow();
      const use = (used: typeof proof, jti: string): Promise<CodeUse> =>
        store.grants.useCode(digest('code'), appId, jti, TOKENS_END, START, undefined, used);
      await store.grants.useProof(proof);
      expect(await use(proof, 'jti-1')).toEqual({ outcome: 'proof_used' });
      const other = { hash: digest('other'), expiresAt: START + 1000 };
      expect(await use(other, 'jti-2')).toMatchObject({ outcome: 'used', row: { dpopJkt: 'jkt' } });
      expect(await store.grants.useProof(other)).toBe(false);
      // a code that was used before revokes, whatever the proof
      expect(await use(proof, 'jti-3')).toEqual({ outcome: 'replayed' });
      const third = { hash: digest('third'), expiresAt: START + 1000 };
      expect(await use(third, 'jti-4')).toEqual({ outcome: 'replayed' });
      expect(await store.grants.useProof(third)).toBe(true);
    });
  });
}
