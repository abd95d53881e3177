import { beforeEach, describe, expect, it } from 'vitest';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import type { RefreshGuardStore } from '../../../../../src/storage/refresh/guards.ts';
import { START } from '../../refresh-rows.ts';
import { bytes32 } from '../../rows.ts';
import { driver, store } from '../../subject.ts';

const MINUTE = Math.floor(START / 60_000);

/** Tests for proof attempts, challenges and the switch. */
export function describeRefreshGuards(): void {
  let guards: RefreshGuardStore;

  beforeEach(() => {
    guards = store.refreshGuards;
  });

  describe('proof attempts', () => {
    it('are counted up to the limit per address and minute', async () => {
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 2)).toBe(true);
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 2)).toBe(true);
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 2)).toBe(false);
      expect(await guards.countAttempt('192.0.2.1', MINUTE + 1, 2)).toBe(true);
      expect(await guards.countAttempt('2001:db8::/64', MINUTE, 2)).toBe(true);
      const sql = 'select address_key, minute, attempts, expires_at from refresh_attempts order by 1, 2';
      expect(await driver.read(pointOf(sql))).toEqual([
        ['192.0.2.1', MINUTE, 2, (MINUTE + 2) * 60_000],
        ['192.0.2.1', MINUTE + 1, 1, (MINUTE + 3) * 60_000],
        ['2001:db8::/64', MINUTE, 1, (MINUTE + 2) * 60_000],
      ]);
    });

    it('are counted exactly in parallel', async () => {
      const counting = Array.from({ length: 50 }, () => guards.countAttempt('192.0.2.1', MINUTE, 20));
      expect((await Promise.all(counting)).filter(Boolean)).toHaveLength(20);
      const rows = await driver.read(pointOf('select attempts from refresh_attempts'));
      expect(rows).toEqual([[20]]);
    });

    it('continue after the limit is raised, and are refused under a limit of 0', async () => {
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 1)).toBe(true);
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 1)).toBe(false);
      expect(await guards.countAttempt('192.0.2.1', MINUTE, 2)).toBe(true);
      expect(await guards.countAttempt('192.0.2.2', MINUTE, 0)).toBe(false);
    });
  });

  describe('challenges', () => {
    it('are valid until the millisecond at which they expire', async () => {
      await guards.addChallenge(bytes32(0xff), START);
      expect(await guards.hasChallenge(bytes32(0xff), START - 1)).toBe(true);
      expect(await guards.hasChallenge(bytes32(0xff), START)).toBe(false);
      expect(await guards.hasChallenge(bytes32(0), START - 1)).toBe(false);
      expect(await guards.takeChallenge(bytes32(0xff), START)).toBe(false);
      expect(await guards.takeChallenge(bytes32(0xff), START - 1)).toBe(true);
      expect(await guards.hasChallenge(bytes32(0xff), START - 1)).toBe(false);
    });

    it('are taken by one of many parallel calls', async () => {
      await guards.addChallenge(bytes32(1), START);
      await guards.addChallenge(bytes32(2), START);
      const taking = Array.from({ length: 50 }, () => guards.takeChallenge(bytes32(1), 0));
      expect((await Promise.all(taking)).filter(Boolean)).toHaveLength(1);
      expect(await guards.takeChallenge(bytes32(2), 0)).toBe(true);
    });
  });

  describe('the switch of refresh', () => {
    it('is on until it is switched off, and records since when', async () => {
      expect(await guards.isSwitchedOn()).toBe(true);
      await guards.switch(false, START);
      expect(await guards.isSwitchedOn()).toBe(false);
      const sql = 'select name, off_at, updated_at from service_switches';
      expect(await driver.read(pointOf(sql))).toEqual([['refresh', START, START]]);
      await guards.switch(true, START + 1);
      expect(await guards.isSwitchedOn()).toBe(true);
      expect(await driver.read(pointOf(sql))).toEqual([['refresh', null, START + 1]]);
    });
  });
}
