// Rules: spec/sign-in.md#ends-of-many
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../../../src/config/apps/client-of.ts';
import { type Driver, pointOf, type Statement } from '../../../../../src/storage/drivers/driver.ts';
import { insertFamily } from '../../../../../src/storage/signin/refresh-families.ts';
import { sessionStatements } from '../../../../../src/storage/signin/sessions.ts';
import { storeOver } from '../../../../../src/storage/store.ts';
import { boundDriver } from '../../bound-driver.ts';
import { appRow, bytes32, GROUP_SETTINGS } from '../../rows.ts';
import { ACCEPTED, digest, START, sessionRow } from '../../signin-rows.ts';
import { driver, setSubject, store } from '../../subject.ts';

const APP = appRow().appId;
const OTHER = 'app_other';
const MANY = 1100;
/** Most grants that one transaction ends. */
const MOST = 1000;
const END = START + 30 * 86_400_000;

function beginSession(name: string, clientId: string): Statement[] {
  // without the end of the oldest sessions of a person
  return sessionStatements({ former: undefined, begun: sessionRow(name, { clientId }) }).slice(0, 1);
}

function beginFamily(name: string, clientId: string): Statement {
  return insertFamily({
    lookupHash: digest(`lookup ${name}`),
    tokenHash: bytes32(1),
    familyId: name,
    clientId,
    scope: 'openid',
    sid: null,
    jkt: null,
    createdAt: START,
    lastUsedAt: START,
    tokensEndAt: START + 1,
    expiresAt: END,
    accepted: ACCEPTED,
  });
}

/** Tests for the end of more sessions and families of refresh tokens than one transaction may end. */
export function describeManyGrants(): void {
  /** Sessions and families of the app when a transaction began that changes or removes the app. */
  let before: number[];
  /** Most rows that a transaction of a batch has ended. */
  let most: number;

  const count = async (table: string, clientId: string): Promise<number> => {
    const sql = `select count(*) from ${table} where client_id = $1`;
    return Number((await driver.read(pointOf(sql, [clientId])))[0]?.[0]);
  };
  const left = async (clientId: string): Promise<number[]> => [
    await count('signin_sessions', clientId),
    await count('refresh_families', clientId),
  ];

  describe('many sessions and families of an app', () => {
    beforeEach(async () => {
      before = [];
      most = 0;
      const watched: Driver = {
        ...boundDriver(driver),
        write: async (statements) => {
          if (statements.some(({ sql }) => /^(update|delete from) apps /.test(sql))) before = await left(APP);
          const outcome = await driver.write(statements);
          if (outcome.ok) most = Math.max(most, ...outcome.results.map((rows) => rows.length));
          return outcome;
        },
      };
      setSubject({ store: storeOver(watched, GROUP_SETTINGS), driver });
      await store.apps.create(appRow({ client: { ...DEFAULT_CLIENT, refreshTokens: true } }));
      const names = Array.from({ length: MANY }, (_, index) => `${index}`);
      await driver.write(names.flatMap((name) => [...beginSession(name, APP), beginFamily(name, APP)]));
      await driver.write([...beginSession('other', OTHER), beginFamily('other', OTHER)]);
    });

    it.each([
      ['is disabled', () => store.apps.update(APP, { status: 'disabled' }, START)],
      ['is removed', () => store.apps.remove(APP)],
    ])('have ended before the transaction in which the app %s', async (_name, change) => {
      await change();
      expect(before).toEqual([0, 0]);
      expect(most).toBeLessThanOrEqual(MOST);
      expect([await left(APP), await left(OTHER)]).toEqual([
        [0, 0],
        [1, 1],
      ]);
      const revoked = await driver.read(pointOf('select count(*) from revoked_tokens'));
      expect(Number(revoked[0]?.[0])).toBe(MANY);
    });

    it('stay when the change of the app is refused', async () => {
      await store.apps.create(appRow({ appId: OTHER, rpId: 'rp_taken' }));
      const change = { status: 'disabled', rpId: 'rp_taken' } as const;
      await expect(store.apps.update(APP, change, START)).rejects.toMatchObject({ code: 'app.rp_id_taken' });
      expect(await left(APP)).toEqual([MANY, MANY]);
    });

    it('end batch by batch when the configuration disables the app, and by the operator', async () => {
      await store.sessions.endOfClients([APP]);
      expect(await left(APP)).toEqual([0, MANY]);
      expect(await store.refreshTokens.endByOperator(APP)).toBe(MANY);
      expect([await left(APP), await left(OTHER)]).toEqual([
        [0, 0],
        [1, 1],
      ]);
      expect(most).toBeLessThanOrEqual(MOST);
      const entries = await store.audit.listAfter(0, 100);
      expect(entries.filter(({ action }) => action === 'refresh_tokens.revoked')).toHaveLength(2);
    });
  });
}
