import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BridgeLimits } from '../../../../../src/storage/bridge/charges.ts';
import { type Driver, pointOf } from '../../../../../src/storage/drivers/driver.ts';
import { type Store, storeOver } from '../../../../../src/storage/store.ts';
import type { BridgeMessage } from '../../../../../src/storage/values.ts';
import { casesOf } from '../../../../support/cases.ts';
import { BridgeModel } from '../../bridge-model.ts';
import { GROUP_SETTINGS } from '../../rows.ts';
import { attemptMessage, attemptOf, newTransaction, pendingBounds } from '../../signin-rows.ts';
import { driver } from '../../subject.ts';

const START = 1_700_000_000_000;
const RUNS = casesOf(60, 8);
const CALLS = { minLength: 20, maxLength: 80 };
/** Bounds of which entries, bytes, or either are reached first. */
const LIMITS = [
  { maxEntries: 8, maxBytes: 1_000_000, maxEntriesPerAddress: 6, maxBytesPerAddress: 1_000_000 },
  { maxEntries: 100, maxBytes: 40_000, maxEntriesPerAddress: 100, maxBytesPerAddress: 30_000 },
  { maxEntries: 10, maxBytes: 60_000, maxEntriesPerAddress: 6, maxBytesPerAddress: 40_000 },
] as const satisfies readonly BridgeLimits[];
/** Two addresses of one network, and two networks of one address each. */
const SENDERS = [
  ['a1', 'a'],
  ['a2', 'a'],
  ['b1', 'b'],
  ['c1', 'c'],
] as const;

const id = fc.nat(11).map((number) => `id-${number}`);
const sender = fc.constantFrom(...SENDERS);
const size = fc.oneof(fc.nat(100), fc.integer({ min: 4000, max: 4200 }), fc.nat(20_000));
const call = fc.oneof(
  fc.record({ what: fc.constantFrom('create', 'put', 'answer', 'answerAlone'), id, sender, size }),
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constantFrom('create', 'answerAlone'), id, sender, size: fc.nat(100) }),
  },
  fc.record({ what: fc.constantFrom('take', 'takeAnswer', 'sweep'), id }),
  fc.record({ what: fc.constant('advance'), by: fc.constantFrom(0, 1, 2, 3, 1000, 450_000, 900_000) }),
  fc.record({ what: fc.constantFrom('begin', 'end', 'answerSignIn', 'attackSignIn'), sender, size }),
);
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** A network fills the bridge, and another one takes room from it, which few random sequences do. */
const EVICTION: Call[] = [0, 0, 0, 0, 0, 0, 1, 1, 2].map((sender, index) => ({
  what: 'create',
  id: `id-${index}`,
  sender: SENDERS[sender] ?? SENDERS[0],
  size: 0,
}));

/** Store and model, on which the same calls are made. */
class Pair {
  readonly #store: Store;
  readonly #driver: Driver;
  readonly #model = new BridgeModel(START);
  #evictions = 0;
  #signIns = 0;
  #messages = 0;
  readonly #limits: BridgeLimits;

  constructor(driver: Driver, limits: BridgeLimits) {
    this.#driver = driver;
    this.#limits = limits;
    const observer = {
      nullifierCommit: (): void => undefined,
      retry: (): void => undefined,
      audited: (): void => undefined,
      bridgeEviction: (messages: number): void => {
        this.#evictions += messages;
      },
    };
    this.#store = storeOver(driver, GROUP_SETTINGS, { observer });
  }

  get evictions(): number {
    return this.#evictions;
  }

  async do(call: Call): Promise<void> {
    const { bridge } = this.#store;
    const model = this.#model;
    const { now } = model;
    const message = this.#message('size' in call ? call.size : 0);
    const [addressKey, networkKey] = 'sender' in call ? call.sender : SENDERS[0];
    const sender = { addressKey, networkKey, limits: this.#limits };
    const name = 'id' in call ? call.id : `sign-in-${this.#signIns}`;
    switch (call.what) {
      case 'create':
      case 'attackSignIn':
        expect(await bridge.createRequest(name, message, sender, now)).toBe(
          model.createRequest(name, message, sender),
        );
        break;
      case 'put':
        expect(await bridge.putRequest(name, message, sender, now)).toBe(
          model.putRequest(name, message, sender),
        );
        break;
      case 'answer':
      case 'answerSignIn':
        expect(await bridge.answer(name, message, sender, now)).toBe(model.answer(name, message, sender));
        break;
      case 'answerAlone':
        expect(await bridge.createAnswer(name, message, sender, now)).toBe(
          model.createAnswer(name, message, sender),
        );
        break;
      case 'take':
        expect(await bridge.takeRequest(name, now)).toEqual(model.takeRequest(name));
        break;
      case 'takeAnswer':
        expect(await bridge.takeAnswer(name, now)).toEqual(model.takeAnswer(name));
        break;
      case 'sweep':
        await this.#store.sweep(now, 3);
        break;
      case 'advance':
        model.advance('by' in call ? call.by : 0);
        break;
      case 'begin':
        await this.#begin();
        break;
      case 'end':
        // if the sweep removed the sign-in, its answer stays until it expires
        if (await this.#store.transactions.cancel(`txn-${this.#signIns}`)) model.endSignIn(name);
        break;
    }
  }

  async check(): Promise<void> {
    const model = this.#model;
    expect(this.#evictions).toBe(model.evictions);
    const read = (sql: string, params: (string | number)[] = []): Promise<unknown[]> =>
      this.#driver.read(pointOf(sql, params));
    // the counters are the sums of the charges, including those of expired messages
    const sums = 'select network_key, count(*), sum(bytes) from bridge_charges group by network_key';
    const all = "select '', count(*), sum(bytes) from bridge_charges having count(*) > 0";
    expect(await read('select network_key, entries, bytes from bridge_usage order by network_key')).toEqual(
      await read(`select * from (${all}) as a union all select * from (${sums}) as s order by 1`),
    );
    // every charge has its message, and the charges are those of the model
    const alone =
      "select id from bridge_charges c where kind <> 'sign_in_answer' and not exists (select 1 from bridge_messages m where m.id = c.id and m.kind = c.kind and m.expires_at = c.expires_at)";
    expect(await read(alone)).toEqual([]);
    const columns = 'id, kind, address_key, network_key, bytes, expires_at';
    const charges = `select ${columns} from bridge_charges where expires_at > $1 order by id, kind`;
    expect(await read(charges, [model.now])).toEqual(
      sorted(model.charges()).map((charge) => [
        charge.id,
        charge.kind,
        charge.addressKey,
        charge.networkKey,
        charge.bytes,
        charge.expiresAt,
      ]),
    );
    const messages = 'select id, kind, status, iv, expires_at from bridge_messages where expires_at > $1';
    expect(await read(`${messages} order by id, kind`, [model.now])).toEqual(
      sorted(model.entries).map(({ id, kind, status, message, expiresAt }) => [
        id,
        kind,
        status,
        message?.iv ?? null,
        expiresAt,
      ]),
    );
  }

  async #begin(): Promise<void> {
    const txn = `txn-${++this.#signIns}`;
    const bridgeId = `sign-in-${this.#signIns}`;
    const createdAt = this.#model.now;
    const first = attemptOf(txn, { bridgeId, windowEndsAt: createdAt + 300_000 });
    const row = newTransaction(txn, { first, createdAt, expiresAt: createdAt + 900_000 });
    const message = attemptMessage(bridgeId);
    expect(await this.#store.transactions.begin(row, message, pendingBounds(1000))).toBe('stored');
    this.#model.beginSignIn(bridgeId, message.message);
  }

  #message(size: number): BridgeMessage {
    const iv = `iv-${++this.#messages}`;
    return { iv, payload: 'p'.repeat(Math.max(0, size - iv.length)) };
  }
}

function sorted<T extends { readonly id: string; readonly kind: string }>(items: readonly T[]): T[] {
  const key = ({ id, kind }: T): string => `${id} ${kind}`;
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Tests that compare the bridge with a plain model after each call. */
export function describeBridgeModel(): void {
  describe('a sequence of bridge calls', () => {
    it('has the same results as a model without counters, and keeps the counters correct', async () => {
      const tables = [
        'bridge_messages',
        'bridge_charges',
        'bridge_usage',
        'signin_transactions',
        'signin_usage',
      ];
      const seen = { evictions: 0 };
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...LIMITS), fc.array(call, CALLS), async (limits, calls) => {
          await driver.write(tables.map((table) => ({ sql: `delete from ${table}`, params: [] })));
          const pair = new Pair(driver, limits);
          for (const next of calls) {
            await pair.do(next);
            await pair.check();
          }
          seen.evictions += pair.evictions;
        }),
        { numRuns: RUNS, examples: [[LIMITS[0], EVICTION]] },
      );
      // otherwise the calls above do not test evictions
      expect(seen.evictions).toBeGreaterThan(0);
    });
  });
}
