import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isServiceError } from '../../../../src/errors/service-error.ts';
import { type Driver, pointOf, type Statement } from '../../../../src/storage/drivers/driver.ts';
import { seenSteps } from '../../../../src/storage/signin/people.ts';
import { usePushedRequest } from '../../../../src/storage/signin/pushed-requests.ts';
import type { NewRefreshFamily } from '../../../../src/storage/signin/refresh-families.ts';
import { sessionStatements } from '../../../../src/storage/signin/sessions.ts';
import { type Store, storeOver } from '../../../../src/storage/store.ts';
import { sweep } from '../../../../src/storage/sweep.ts';
import { COUNTED_TABLES, EXPIRING_TABLES } from '../../../../src/storage/tables.ts';
import {
  appRow,
  bridgeSender,
  bytes32,
  GROUP_SETTINGS,
  nullifierEntry,
  rootRow,
  verifyingKeyRow,
} from '../rows.ts';
import {
  digest,
  newCode,
  newTransaction,
  pendingBounds,
  secretRow,
  seenPerson,
  sessionRow,
  signingKeyRow,
} from '../signin-rows.ts';
import { driver, type StoreUnderTest, setSubject, store } from '../subject.ts';
import { describeAudit } from './describe-audit.ts';
import { describeClients } from './describe-clients.ts';
import { describeDevelopment } from './describe-development.ts';
import { describeNullifiers } from './describe-nullifiers.ts';
import { describeOutbox } from './describe-outbox.ts';
import { describeRegistries } from './describe-registries.ts';
import { describeUsage } from './describe-usage.ts';
import { describeWorldId4Keys } from './describe-worldid4-keys.ts';
import { describeEnrolments } from './refresh/describe-enrolments.ts';
import { describeIssuance } from './refresh/describe-issuance.ts';
import { describeIssuanceRaces } from './refresh/describe-issuance-races.ts';
import { describeIssuerKeys } from './refresh/describe-issuer-keys.ts';
import { describeRefreshGuards } from './refresh/describe-refresh-guards.ts';
import { describeBridge } from './signin/describe-bridge.ts';
import { describeBridgeModel } from './signin/describe-bridge-model.ts';
import { describeGrants } from './signin/describe-grants.ts';
import { describeManyGrants } from './signin/describe-many-grants.ts';
import { describePasskeys } from './signin/describe-passkeys.ts';
import { describePendingModel } from './signin/describe-pending-model.ts';
import { describePeople } from './signin/describe-people.ts';
import { describePushedRequests } from './signin/describe-pushed-requests.ts';
import { describeRefreshTokens } from './signin/describe-refresh-tokens.ts';
import { describeSessions } from './signin/describe-sessions.ts';
import { describeSigningKeys } from './signin/describe-signing-keys.ts';
import { describeTransactionEnds } from './signin/describe-transaction-ends.ts';
import { describeTransactions } from './signin/describe-transactions.ts';

const END = 1_800_000_000_000;
/** Number of the first day after `END`. */
const DAY = Math.ceil(END / 86_400_000);

/** A database engine under test, which makes and removes empty databases. */
export interface StoreSubject {
  readonly name: string;
  /** Opens an empty store, with all migrations or none. */
  open(): Promise<{ readonly driver: Driver; remove(): Promise<void> }>;
  /** Returns statements that empty tables; by default one for each. */
  empty?(tables: readonly string[]): Statement[];
}

function deleteAll(table: string): Statement {
  return { sql: `delete from ${table}`, params: [] };
}

/** Suite that every driver must pass: each statement, each conflict, values at their limits. */
export function describeStore(subject: StoreSubject): void {
  describe(`store on ${subject.name}`, () => {
    const empty = subject.empty ?? ((tables) => tables.map(deleteAll));
    const opened: { store: Store; remove(): Promise<void> }[] = [];

    const open = async (): Promise<StoreUnderTest> => {
      const { driver, remove } = await subject.open();
      const store = storeOver(driver, GROUP_SETTINGS);
      opened.push({ store, remove });
      await store.migrate();
      return { store, driver };
    };

    beforeAll(async () => {
      setSubject(await open());
    });

    afterEach(async () => {
      await driver.write(empty(COUNTED_TABLES));
      // A store remembers for a moment which actions it has written.
      setSubject({ store: storeOver(driver, GROUP_SETTINGS), driver });
    });

    afterAll(async () => {
      for (const { store, remove } of opened) {
        await store.close();
        await remove();
      }
    });

    describe('values', () => {
      const roundTrip = async (source: string, key: Uint8Array): Promise<unknown> => {
        await store.verifyingKeys.put(verifyingKeyRow({ source, key, depth: null }));
        return store.verifyingKeys.find('key-a');
      };

      it('preserves every byte value, empty bytes, empty text and missing numbers', async () => {
        const every = Uint8Array.from({ length: 256 }, (_, value) => value);
        expect(await roundTrip('', every)).toEqual(verifyingKeyRow({ source: '', key: every, depth: null }));
        await store.verifyingKeys.put(verifyingKeyRow({ keyId: 'key-b', key: new Uint8Array(0) }));
        expect((await store.verifyingKeys.find('key-b'))?.key).toEqual(new Uint8Array(0));
      });

      it('preserves non-ASCII text, quotes and placeholders', async () => {
        const text = `ünï ☃ 👋🏽 ' " ; -- $1 ?1 :a \n\t`;
        expect(await roundTrip(text, new Uint8Array([0]))).toMatchObject({ source: text });
      });

      it('returns bytes as Uint8Array and not as Buffer', async () => {
        await store.verifyingKeys.put(verifyingKeyRow());
        const row = await store.verifyingKeys.find('key-a');
        expect(row?.key.constructor).toBe(Uint8Array);
        expect(row?.fingerprint.constructor).toBe(Uint8Array);
      });

      it('preserves whole numbers up to 2^53 - 1', async () => {
        await store.apps.create(appRow({ createdAt: Number.MAX_SAFE_INTEGER, updatedAt: 0 }));
        expect(await store.apps.list()).toEqual([
          appRow({ createdAt: Number.MAX_SAFE_INTEGER, updatedAt: 0 }),
        ]);
      });

      it('refuses values that the engine would change, and keeps working', async () => {
        for (const value of [
          true,
          undefined,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          2 ** 53,
          'a\0b',
          '\ud800',
          {},
        ]) {
          const name = value as string;
          await expect(store.apps.create(appRow({ name }))).rejects.toMatchObject({
            code: 'store.invalid_value',
          });
        }
        expect(await store.apps.list()).toEqual([]);
      });
    });

    describe('transactions', () => {
      it('rolls back a transaction whose second statement fails', async () => {
        const failing = driver.write([
          { sql: "insert into roots values ('staging', 'orb', $1, 1, 2, 's', null)", params: [bytes32(1)] },
          {
            sql: "insert into roots values ('staging', 'orb', $1, null, 2, 's', null)",
            params: [bytes32(2)],
          },
        ]);
        await expect(failing).rejects.toMatchObject({ code: 'store.failed' });
        expect(await store.roots.list()).toEqual([]);
      });

      it('rolls back a transaction whose guard returns no row, and does not run later statements', async () => {
        const insert = (root: number): Statement => ({
          sql: "insert into roots values ('staging', 'orb', $1, 1, 2, 's', null) on conflict do nothing returning 1",
          params: [bytes32(root)],
        });
        const guarded = [insert(1), { ...insert(2), isGuard: true }, insert(3)];
        expect(await driver.write(guarded)).toEqual({ ok: true, results: [[[1]], [[1]], [[1]]] });
        const again = [insert(4), { ...insert(2), isGuard: true }, insert(5)];
        expect(await driver.write(again)).toEqual({ ok: false, guard: 1 });
        const kept = await store.roots.list();
        expect(kept.map(({ root }) => root)).toEqual([bytes32(1), bytes32(2), bytes32(3)]);
      });

      it('reports a missing table as pending migrations', async () => {
        await expect(driver.read(pointOf('select 1 from no_such_table'))).rejects.toMatchObject({
          code: 'store.migrations_pending',
        });
        await expect(driver.write([{ sql: 'delete from no_such_table', params: [] }])).rejects.toMatchObject({
          code: 'store.migrations_pending',
        });
      });

      it('reports health, and writes to the database in a probe', async () => {
        expect(await store.probe()).toMatchObject({ isReachable: true, isWritable: true });
        expect(store.health()).not.toHaveProperty('reason');
      });
    });

    describe('closing', () => {
      it('commits waiting nullifiers', async () => {
        const { store } = await open();
        const waiting = Array.from({ length: 100 }, () => store.nullifiers.record(nullifierEntry()));
        const closed = store.close();
        expect((await Promise.all(waiting)).every((record) => record.isNew)).toBe(true);
        await closed;
      });

      it('refuses every later call', async () => {
        const { store } = await open();
        await store.close();
        expect(store.health()).toMatchObject({ isReachable: false, isWritable: false });
        expect(await store.probe()).toMatchObject({ isReachable: false, isWritable: false });
        const calls = [
          store.apps.list(),
          store.rowCounts(),
          store.roots.put([rootRow()]),
          store.nullifiers.record(nullifierEntry()),
        ];
        for (const result of await Promise.allSettled(calls)) {
          expect(result.status === 'rejected' && isServiceError(result.reason, 'store.unreachable')).toBe(
            true,
          );
        }
      });
    });

    describeRegistries();
    describeUsage();
    describeAudit();
    describeOutbox();
    describeWorldId4Keys();
    describeNullifiers();
    describeBridgeModel();
    describePendingModel();
    describeBridge();
    describeDevelopment();
    describeClients();
    describeSigningKeys();
    describeTransactions();
    describeTransactionEnds();
    describePeople();
    describePushedRequests();
    describeGrants();
    describePasskeys();
    describeSessions();
    describeRefreshTokens();
    describeManyGrants();
    describeEnrolments();
    describeIssuance();
    describeIssuanceRaces(() => [store]);
    describeRefreshGuards();
    describeIssuerKeys();

    describe('nodes', () => {
      const node = {
        nodeId: 'a',
        version: '1.2.3',
        keyIds: ['x', 'y'],
        startedAt: 1,
        seenAt: 2,
        state: null,
      };

      it('are listed with the time of their last report, the latest started first', async () => {
        await store.nodes.report(node);
        await store.nodes.report({ ...node, nodeId: 'b', startedAt: 5 });
        const state = { workers: 2, readyWorkers: 1, backend: 'native', isReady: false };
        await store.nodes.report({ ...node, seenAt: 9, state });
        const expected = [
          { ...node, nodeId: 'b', startedAt: 5 },
          { ...node, seenAt: 9, state },
        ];
        expect(await store.nodes.list()).toEqual(expected);
        await store.nodes.remove('b');
        await store.nodes.remove('b');
        expect(await store.nodes.list()).toEqual([{ ...node, seenAt: 9, state }]);
      });

      it('can read the time of the store', async () => {
        expect(Math.abs((await store.nodes.time()) - Date.now())).toBeLessThan(60_000);
      });
    });

    describe('the last backup', () => {
      const backup = { finishedAt: 2, bytes: 4096, sha256: bytes32(1) };

      it('is unknown before the first, and then the latest that was recorded', async () => {
        expect(await store.backups.last()).toBeUndefined();
        await store.backups.record(backup);
        await store.backups.record({ ...backup, finishedAt: 1, bytes: 8192 });
        expect(await store.backups.last()).toEqual(backup);
        const next = { finishedAt: 3, bytes: 8192, sha256: bytes32(2) };
        await store.backups.record(next);
        expect(await store.backups.last()).toEqual(next);
      });
    });

    describe('growth', () => {
      it('shows its size', async () => {
        const { databaseBytes, logBytes = 0 } = await store.size();
        expect(databaseBytes + logBytes).toBeGreaterThan(8192);
      });

      it('counts the rows of every table but those about the store itself', async () => {
        await store.apps.create(appRow());
        await Promise.all([0, 1, 2].map(() => store.nullifiers.record(nullifierEntry())));
        const own = ['schema_migrations', 'schema_requirements', 'store_copies', 'store_marks'];
        const names = (await driver.tables()).map(({ name }) => name).filter((name) => !own.includes(name));
        expect(await store.rowCounts()).toEqual({
          ...Object.fromEntries(names.map((name) => [name, 0])),
          apps: 1,
          clients: 1,
          app_policies: 1,
          nullifiers: 3,
          actions: 1,
          audit_log: 1,
          audit_head: 1,
        });
      });

      it('sweeps expired rows in bounded batches', async () => {
        const table = { name: 'things', key: ['a', 'b'] };
        await driver.write([
          { sql: 'create table things (a bigint not null, b text not null, expires_at bigint)', params: [] },
          ...Array.from({ length: 30 }, (_, index) => ({
            sql: 'insert into things values ($1, $2, $3)',
            params: [index, 'x', index],
          })),
          { sql: "insert into things values (99, 'x', null)", params: [] },
        ]);
        const sizes: number[] = [];
        const watched: Driver = {
          ...driver,
          write: async (statements) => {
            const outcome = await driver.write(statements);
            if (outcome.ok) sizes.push(outcome.results.flat().length);
            return outcome;
          },
        };
        expect(await sweep(watched, 24, 10, undefined, [table])).toEqual({ things: 25 });
        expect(sizes).toEqual([10, 10, 5]);
        expect(await sweep(driver, 24, 10, undefined, [table])).toEqual({ things: 0 });
        const left = await driver.read(pointOf('select a from things order by a'));
        expect(left.flat()).toEqual([25, 26, 27, 28, 29, 99]);
      });

      it('sweeps every row from the millisecond at which it expires, and no other', async () => {
        await store.apps.create(appRow(), secretRow('kept'));
        await store.apps.addSecret(secretRow('second'), END, 0);
        await store.nullifiers.record(nullifierEntry());
        const active = signingKeyRow('a', { state: 'active' });
        await store.signingKeys.initialise(active, signingKeyRow('b'));
        const rotation = { use: 'signin', activeKid: 'a', nextKid: 'b', at: 1, retiredUntil: END } as const;
        await store.signingKeys.rotate({ ...rotation, newNext: signingKeyRow('c') });
        const transaction = newTransaction('txn', { createdAt: 0, expiresAt: END });
        await store.transactions.begin(transaction, undefined, pendingBounds(10));
        const pushed = { clientId: transaction.clientId, parameters: 'a=b', expiresAt: END };
        // counts in the same slot as the sign-in
        const referenceHash = new Uint8Array(32).fill('t'.charCodeAt(0));
        await store.pushedRequests.add({ ...pushed, referenceHash }, pendingBounds(10), 0);
        const pushUse = { referenceHash: digest('used'), clientId: pushed.clientId, expiresAt: END };
        await driver.write(usePushedRequest(pushUse).map(([step]) => step));
        const message = { iv: 'aXY=', payload: 'cGF5bG9hZA==' };
        await store.bridge.createAnswer('id', message, bridgeSender(), END - 900_000);
        const spent = { hash: digest('spent'), expiresAt: END };
        await store.grants.issue(newCode('code', { expiresAt: END }), spent, 0);
        const begun = sessionRow('session', { expiresAt: END });
        await driver.write(sessionStatements({ former: undefined, begun }));
        const family = { lookupHash: digest('lookup'), tokenHash: digest('token'), scope: 'openid' };
        const familyFor = (): NewRefreshFamily => ({ ...family, sid: null, jkt: null, expiresAt: END });
        await store.grants.useCode(digest('code'), appRow().appId, 'family', END, 0, familyFor);
        const notified = sessionRow('notified', { expiresAt: END + 1 });
        await driver.write(sessionStatements({ former: undefined, begun: notified }));
        const live = { clientId: notified.clientId, clientHash: notified.clientHash, provenAfter: 0 };
        await store.sessions.end([{ live, sid: notified.sid, notifies: true }], END - 86_400_000);
        await driver.write(seenSteps(seenPerson('known', { expiresAt: END })).map(([step]) => step));
        await store.grants.revoke('jti', END);
        await store.grants.useProof({ hash: digest('proof'), expiresAt: END });
        await store.refreshGuards.countAttempt('192.0.2.1', END / 60_000 - 2, 9);
        await store.refreshGuards.addChallenge(digest('challenge'), END);
        const state = { workers: 1, readyWorkers: 1, backend: 'native', isReady: true };
        const seen = { startedAt: 0, seenAt: END - 86_400_000, state };
        await store.nodes.report({ nodeId: 'node', version: '1', keyIds: ['a'], ...seen });
        const use = { hash: digest('use'), bound: digest('responses'), expiresAt: END };
        await store.integrityUses.claim(use);
        await store.sessionProofUses.claim(use);

        const token = { tokenId: 'at_1', hash: digest('token'), name: 'token', scope: 'read' } as const;
        await store.adminTokens.add({ ...token, createdAt: 0, expiresAt: END });
        const planned = { keyHash: digest('key'), requestHash: digest('request'), expiresAt: END };
        const author = { actor: 'api:at_1', planned: { ...planned, answer: () => 'answer' } };
        await store.by(author).audit.record({ action: 'test', target: 'test' });

        const stale = { type: 'root_source.stale', data: {} } as const;
        await store.outbox.add(stale, END - 30 * 86_400_000);

        const refusal = { code: 'http.not_found', route: 'unmatched', amount: 1, lastAt: 0 };
        await store.usage.add({
          usage: [{ appId: 'app', day: DAY - 90, environment: 'production', kind: 'signed_in', amount: 1 }],
          actions: [],
          refusals: [{ ...refusal, hour: END / 3_600_000 - 168 }],
        });

        const counts = await store.rowCounts();
        const names = ['bridge_messages', ...EXPIRING_TABLES.map(({ name }) => name)];
        const nothing = Object.fromEntries(names.map((name) => [name, 0]));
        const all = Object.fromEntries(names.map((name) => [name, 1]));
        expect(await store.sweep(END - 1, 1000)).toEqual(nothing);
        expect(await store.rowCounts()).toEqual(counts);
        // sign-in and pushed request were counted for their client and for all, until the end of the minute
        expect(await store.sweep(END, 1000)).toEqual({ ...all, signin_usage: 0, usage_days: 0 });
        expect(await store.sweep(END + 59_999, 1000)).toEqual(nothing);
        expect(await store.sweep(END + 60_000, 1000)).toEqual({ ...nothing, signin_usage: 2 });
        expect(await store.sweep(DAY * 86_400_000 - 1, 1000)).toEqual(nothing);
        expect(await store.sweep(DAY * 86_400_000, 1000)).toEqual({ ...nothing, usage_days: 2 });
        expect(await store.sweep(Number.MAX_SAFE_INTEGER, 1000)).toEqual(nothing);
        const left = Object.entries(await store.rowCounts()).filter(([, count]) => count > 0);
        expect(Object.fromEntries(left)).toEqual({
          apps: 1,
          clients: 1,
          client_secrets: 1,
          app_policies: 1,
          nullifiers: 1,
          actions: 1,
          signing_keys: 2,
          audit_log: 6,
          audit_head: 1,
        });
      });
    });
  });
}
