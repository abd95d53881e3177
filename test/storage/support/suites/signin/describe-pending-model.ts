import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../../src/storage/drivers/driver.ts';
import { closeSignIn, type PendingBounds } from '../../../../../src/storage/signin/pending.ts';
import { casesOf } from '../../../../support/cases.ts';
import { attemptMessage, attemptOf, newTransaction, pendingBounds } from '../../signin-rows.ts';
import { driver, store } from '../../subject.ts';

const START = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const LIFE_MS = 15 * MINUTE_MS;
const RUNS = casesOf(40, 5);
const CLIENTS = ['client-a', 'client-b', 'client-c'] as const;
const CALLS = { minLength: 10, maxLength: 60 };
const ALL = { maxSignIns: 8, maxBytes: 100_000 };
const CLIENT = { maxSignIns: 5, maxBytes: 60_000 };
const NETWORK = { maxSignIns: 7, maxBytes: 70_000 };

const call = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('begin' as const),
      client: fc.constantFrom(...CLIENTS),
      network: fc.constantFrom(undefined, 'n', 'm'),
      state: fc.oneof(fc.nat(100), fc.nat(30_000)),
    }),
  },
  fc.record({
    what: fc.constantFrom('retry' as const, 'cancel' as const, 'consume' as const, 'redeem' as const),
    at: fc.nat(20),
  }),
  fc.record({ what: fc.constant('advance' as const), by: fc.constantFrom(1, 59_000, MINUTE_MS, LIFE_MS) }),
  fc.record({ what: fc.constant('sweep' as const) }),
);

const begin = (client: (typeof CLIENTS)[number], network: 'n' | undefined, state: number) =>
  ({ what: 'begin', client, network, state }) as const;
/** Meets every bound, which a random sequence need not do. */
const ALL_OUTCOMES = [
  begin('client-b', 'n', 0),
  begin('client-b', 'n', 30_000),
  ...Array.from({ length: CLIENT.maxSignIns + 1 }, () => begin('client-a', undefined, 0)),
  ...Array.from({ length: 2 }, () => begin('client-b', undefined, 0)),
  begin('client-c', undefined, 0),
];

interface SignIn {
  readonly txn: string;
  readonly client: string;
  readonly network: string | undefined;
  readonly bytes: number;
  readonly expiresAt: number;
  state: 'waiting' | 'cancelled' | 'consumed' | 'redeemed';
}

/** Tests that compare the counts of open sign-ins with a model. */
export function describePendingModel(): void {
  describe('a sequence of sign-ins', () => {
    it('is counted exactly, each sign-in until the end of the minute in which it expires', async () => {
      const { transactions } = store;
      const tables = ['signin_transactions', 'signin_usage', 'bridge_messages'];
      const outcomes = new Set<string>();
      let names = 0;

      await fc.assert(
        fc.asyncProperty(fc.array(call, CALLS), async (calls) => {
          await driver.write(tables.map((table) => ({ sql: `delete from ${table}`, params: [] })));
          let now = START;
          const signIns: SignIn[] = [];
          const isCounted = ({ expiresAt }: SignIn): boolean =>
            Math.floor(expiresAt / MINUTE_MS) >= Math.floor(now / MINUTE_MS);
          const isOpen = (signIn: SignIn): boolean => isCounted(signIn) && signIn.state !== 'redeemed';
          const isBeyond = (counted: readonly SignIn[], more: number, bound: PendingBounds['all']): boolean =>
            counted.length + 1 > bound.maxSignIns ||
            counted.reduce((sum, { bytes }) => sum + bytes, more) > bound.maxBytes;

          for (const next of calls) {
            if (next.what === 'advance') now += next.by;
            if (next.what === 'sweep') await store.sweep(now, 3);
            if (next.what === 'begin') {
              const { client, network, state } = next;
              const txn = `${String.fromCharCode(65 + (names % 26))}-${++names}`;
              const request = JSON.stringify({ state: 'ü'.repeat(state) });
              const first = attemptOf(txn, { bridgeId: `bridge-${txn}`, windowEndsAt: now + 300_000 });
              const row = { clientId: client, request, first, createdAt: now, expiresAt: now + LIFE_MS };
              const bytes =
                Buffer.byteLength(request) + Buffer.byteLength(JSON.stringify(first.signal)) + 6144;
              const ofClient = signIns.filter((other) => other.client === client && isOpen(other));
              const ofNetwork = signIns.filter((other) => other.network === network && isCounted(other));
              const expected =
                network !== undefined && isBeyond(ofNetwork, bytes, NETWORK)
                  ? 'network_full'
                  : isBeyond(ofClient, bytes, CLIENT)
                    ? 'client_full'
                    : isBeyond(signIns.filter(isOpen), bytes, ALL)
                      ? 'full'
                      : 'stored';
              const bounds = pendingBounds(0, {
                all: ALL,
                client: CLIENT,
                network: network === undefined ? undefined : { ...NETWORK, networkKey: network },
              });
              const message = attemptMessage(`bridge-${txn}`);
              expect(await transactions.begin(newTransaction(txn, row), message, bounds)).toBe(expected);
              outcomes.add(expected);
              if (expected === 'stored') {
                signIns.push({ txn, client, network, bytes, expiresAt: row.expiresAt, state: 'waiting' });
              }
            }
            if ('at' in next) {
              const signIn = signIns[next.at];
              if (signIn === undefined || signIn.expiresAt <= now) continue;
              const { txn } = signIn;
              if (next.what === 'retry') {
                const again = attemptOf(txn, { attempt: 2, bridgeId: `again-${txn}` });
                await transactions.retry(txn, 1, again, attemptMessage(`again-${txn}`), now);
              } else if (next.what === 'cancel') {
                if (await transactions.cancel(txn)) signIn.state = 'cancelled';
              } else if (next.what === 'consume') {
                const isFirst = (await store.answers.consume(txn, {})) === 'consumed';
                expect(isFirst).toBe(signIn.state === 'cancelled');
                if (isFirst) signIn.state = 'consumed';
              } else if (signIn.state === 'consumed') {
                await driver.write(closeSignIn(txn));
                signIn.state = 'redeemed';
              }
            }
            const [counted] = await driver.read(
              pointOf(
                "select coalesce(sum(sign_ins), 0), coalesce(sum(bytes), 0) from signin_usage where holder = '' and minute >= $1",
                [Math.floor(now / MINUTE_MS)],
              ),
            );
            const open = signIns.filter(isOpen);
            expect(counted).toEqual([open.length, open.reduce((sum, { bytes }) => sum + bytes, 0)]);
          }
        }),
        { numRuns: RUNS, examples: [[ALL_OUTCOMES]] },
      );
      expect([...outcomes].sort()).toEqual(['client_full', 'full', 'network_full', 'stored']);
    });
  });
}
