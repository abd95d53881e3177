// Rules: spec/sign-in.md#repeated-responses
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfCode } from '../../../src/oidc/authorize/responder.ts';
import { createTransactions } from '../../../src/oidc/transaction/create-transactions.ts';
import type { Transactions } from '../../../src/oidc/transaction/types.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { messageOf } from '../../../src/text.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { approve } from '../../support/test-wallet.ts';
import { browserOf, type SignIns, START, startSignIns } from './support/sign-ins.ts';

const ROUNDS = 12;
const CODE_MS = 60_000;
/** How far the clocks of the nodes are apart: more than the life of a code. */
const SKEWS = [0, -CODE_MS - 1, CODE_MS + 1];

interface Node {
  readonly store: Store;
  readonly transactions: Transactions;
  readonly now: () => number;
}

let server: PostgresServer;

beforeAll(async () => {
  if (POSTGRES_BIN !== undefined) server = await PostgresServer.create({ fsync: 'off' });
});
afterAll(() => server?.remove());

const SUBJECTS = [
  { name: 'libsql', isAbsent: false, urlOf: async () => undefined },
  {
    name: `PostgreSQL${POSTGRES_SKIP}`,
    isAbsent: POSTGRES_BIN === undefined,
    urlOf: async () => server.url(await server.createMigratedDatabase()),
  },
];

for (const { name, isAbsent, urlOf } of SUBJECTS) {
  describe.skipIf(isAbsent)(
    `three nodes on one ${name}, whose clocks differ by more than the life of a code`,
    () => {
      let signIns: SignIns;
      let nodes: Node[];

      beforeAll(async () => {
        const storageUrl = await urlOf();
        signIns = await startSignIns(storageUrl === undefined ? {} : { storageUrl });
        const { config, options, clock } = signIns;
        const storage = { ...config.storage, url: storageUrl ?? config.storage.url };
        nodes = await Promise.all(
          SKEWS.map(async (skew) => {
            const store = await openStore(storage, { writesInline: storageUrl === undefined });
            const now = (): number => clock.now + skew;
            const responder = { ...options.responder };
            return { store, now, transactions: createTransactions({ ...options, store, responder, now }) };
          }),
        );
      });
      afterAll(async () => {
        for (const { store } of nodes ?? []) await store.close();
        await signIns?.end();
      });

      const nodeAt = (turn: number): Node => nodes[turn % nodes.length] as Node;
      /** Asks a node for the response; returns the code, undefined once it was redeemed. */
      const ask = async (
        signIn: { txn: string; cookie: string },
        turn: number,
      ): Promise<string | undefined> => {
        const { transactions, store, now } = nodeAt(turn);
        try {
          return (await browserOf(signIn.txn, signIn.cookie, transactions, store, now).finish()).code;
        } catch (error) {
          expect(error).toMatchObject({ code: 'transaction.redeemed' });
          return undefined;
        }
      };
      const redeem = async (code: string, turn: number): Promise<string> => {
        const { store, now } = nodeAt(turn);
        const jti = randomBytes(8).toString('hex');
        const { clientId } = signIns.web;
        return (await store.grants.useCode(hashOfCode(code), clientId, jti, now() + 3_600_000, now()))
          .outcome;
      };

      it('redeem exactly one code of a sign-in, however its responses and redemptions race', async () => {
        const known: Record<string, number> = {};
        for (let round = 0; round < ROUNDS; round++) {
          const signIn = await signIns.begin();
          await approve(await signIn.connectUrl());
          expect(await signIn.poll()).toMatchObject({ state: 'completed' });
          const codes = new Set<string>();
          const outcomes: string[] = [];
          const failures: string[] = [];
          for (let wave = 0; wave < 4 && !outcomes.includes('used'); wave++) {
            const redeemed =
              wave === 0 ? [] : [...codes].flatMap((code) => [0, 1, 2].map((turn) => [code, turn] as const));
            // In every other round only the last wave redeems, so that codes expire and are replaced before.
            const uses = round % 2 === 0 || wave === 3 ? redeemed : [];
            await Promise.all([
              ...Array.from({ length: 9 }, async (_, turn) => {
                const code = await ask(signIn, turn + round).catch((error: unknown) => {
                  failures.push(messageOf(error));
                  return undefined;
                });
                if (code !== undefined) codes.add(code);
              }),
              ...uses.map(async ([code, turn]) => {
                const outcome = await redeem(code, turn);
                outcomes.push(outcome);
                known[outcome] = (known[outcome] ?? 0) + 1;
              }),
            ]);
            signIns.clock.now += CODE_MS / 2;
          }
          // Every code that was ever sent is presented at every node; at most one was and is redeemed.
          for (const code of codes) {
            for (const turn of [0, 1, 2]) outcomes.push(await redeem(code, turn));
          }
          expect([failures, outcomes.filter((outcome) => outcome === 'used')]).toEqual([[], ['used']]);
          expect(await ask(signIn, round)).toBeUndefined();
          signIns.clock.now = START;
        }
        expect(known.used).toBeGreaterThan(0);
      });

      it('leave one code that can be redeemed after parallel first responses', async () => {
        const before = (await signIns.store.rowCounts()).authorization_codes ?? 0;
        const signIn = await signIns.begin();
        await approve(await signIn.connectUrl());
        expect(await signIn.poll()).toMatchObject({ state: 'completed' });
        // Nodes whose clocks agree: the same one three times.
        const codes = await Promise.all(Array.from({ length: 20 }, () => ask(signIn, 0)));
        expect(new Set(codes).size).toBe(1);
        expect((await signIns.store.rowCounts()).authorization_codes).toBe(before + 1);
      });
    },
  );
}
