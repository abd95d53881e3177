// Rules: spec/operations.md#single-use
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { runTogether } from './support/processes/child.ts';
import { appRow, GROUP_SETTINGS } from './support/rows.ts';
import {
  ACCEPTED,
  digest,
  newCode,
  newTransaction,
  pendingBounds,
  START,
  secretRow,
} from './support/signin-rows.ts';
import { useTempFolders } from './support/temp-folder.ts';

const COUNT = 50;
const NAMES = ['1', '2', '3'];

/** Begins a family of refresh tokens with the id `family-<number>`. */
async function beginFamily(store: Store, number: number): Promise<void> {
  // A person of its own: one person has only so many families.
  const accepted = { ...ACCEPTED, sub: digest(`person ${number}`) };
  const code = newCode(`code of family ${number}`, { accepted });
  await store.grants.issue(code, { hash: digest(`spent ${number}`), expiresAt: START + 1 }, START);
  const { codeHash, clientId } = code;
  await store.grants.useCode(codeHash, clientId, `family-${number}`, START + 1, START, () => ({
    lookupHash: digest(`lookup-${number}`),
    tokenHash: digest(`token-${number}`),
    scope: 'openid',
    sid: null,
    jkt: null,
    expiresAt: START + 1,
  }));
}

describe('several processes that serve sign-ins on one libsql store', () => {
  const tempFolder = useTempFolders();

  it('make each state transition once, use each code once, rotate each refresh token once, and change keys and secrets one after the other', async () => {
    const url = `libsql:${join(tempFolder(), 'proofgate.db')}`;
    const store = await openStore({ url, ...GROUP_SETTINGS });
    await store.migrate();
    await store.apps.create(appRow(), secretRow('first'));
    for (let number = 0; number < COUNT; number++) {
      await store.transactions.begin(newTransaction(`txn-${number}`), undefined, pendingBounds(COUNT));
      const spent = { hash: digest(`spent-${number}`), expiresAt: START + 1 };
      await store.grants.issue(newCode(`code-${number}`), spent, START);
      await beginFamily(store, number);
    }
    const runs = NAMES.map((name) => [url, String(COUNT), name]);
    const lines = (await runTogether('signin-process.ts', runs)).flat().map((line) => line.split(' '));
    const winners = (what: string, number: number): string[] =>
      lines.flatMap(([found, at, wrote = '']) => (found === what && at === String(number) ? [wrote] : []));

    for (let number = 0; number < COUNT; number++) {
      for (const what of ['retry', 'answer', 'complete', 'consume']) {
        expect([what, number, winners(what, number).length]).toEqual([what, number, 1]);
      }
      const row = await store.transactions.find(`txn-${number}`, START);
      const bridgeId = `bridge-${winners('retry', number)[0]}-${number}`;
      expect(row).toMatchObject({ state: 'consumed', attempt: 2, bridgeId });

      const [consumer] = winners('consume', number);
      const code = digest(`txn-${number} ${consumer}`);
      const written = await store.grants.useCode(code, appRow().appId, 'jti', START, START);
      expect(written).toMatchObject({ outcome: 'used' });

      const uses = lines.filter(([found, at]) => found === 'code' && at === String(number));
      expect(uses.map(([, , outcome]) => outcome).sort()).toEqual(['replayed', 'replayed', 'used']);
      for (const [, , outcome, jti = ''] of uses) {
        expect(await store.grants.isRevoked(jti, START)).toBe(outcome === 'used');
      }
    }
    for (let number = 0; number < COUNT; number++) {
      const uses = lines.filter(([found, at]) => found === 'refresh' && at === String(number));
      // Whoever loses ends the family; a later loser finds none.
      expect(uses.map(([, , outcome]) => outcome)).toContain('rotated');
      expect(uses.filter(([, , outcome]) => outcome === 'rotated')).toHaveLength(1);
      expect(uses.filter(([, , outcome]) => outcome === 'replayed')).toHaveLength(1);
      expect(await store.refreshTokens.find(digest(`lookup-${number}`), START)).toBeUndefined();
      expect(await store.grants.isRevoked('jti', START, `family-${number}`)).toBe(true);
    }
    expect((await store.rowCounts()).authorization_codes).toBe(3 * COUNT);

    expect(winners('initialise', 0)).toHaveLength(1);
    const retired = lines.flatMap(([what, , kid]) => (what === 'rotate' ? [kid] : []));
    const keys = await store.signingKeys.list('signin', START);
    expect(keys.slice(0, 2).map(({ state }) => state)).toEqual(['active', 'next']);
    // each won rotation retired a different key: no process rotated away a key that another had already rotated
    expect(
      keys
        .slice(2)
        .map(({ kid }) => kid)
        .sort(),
    ).toEqual([...retired].sort());
    expect(retired.length).toBeGreaterThanOrEqual(COUNT);

    expect(winners('secret', 0)).toHaveLength(1);
    expect(await store.apps.listSecrets(appRow().appId, START)).toHaveLength(2);
    await store.close();
  });
});
