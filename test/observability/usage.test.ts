// Rules: spec/operations.md#admin-api
import { describe, expect, it } from 'vitest';
import { UsageTally } from '../../src/observability/usage.ts';
import { RECORD } from './support/records.ts';

const DAY_MS = 86_400_000;

describe('the tally of usage', () => {
  it('tells new, repeated, session and refused verifications of an app apart', () => {
    const tally = new UsageTally(() => 3 * DAY_MS + 5);
    const fields = { appId: 'app', environment: 'staging' };
    for (const reuse of [false, true, true])
      tally.observe({ ...RECORD, fields: { ...fields, kind: 'uniqueness', reuse } });
    for (const reuse of [false, true])
      tally.observe({ ...RECORD, fields: { ...fields, kind: 'session', reuse } });
    tally.observe({ ...RECORD, status: 400, code: 'verify.all_failed', fields });
    tally.observe({ ...RECORD, fields: {} });
    const { usage } = tally.take();
    expect(usage.map(({ kind, amount, day, environment }) => [kind, amount, day, environment])).toEqual([
      ['verified_new', 1, 3, 'staging'],
      ['verified_reused', 2, 3, 'staging'],
      ['verified_session', 2, 3, 'staging'],
      ['verify_refused', 1, 3, 'staging'],
    ]);
    expect(tally.take()).toEqual({ usage: [], actions: [], refusals: [] });
  });

  it('counts refusals by code and route, and those of items under their own codes', () => {
    let now = 0;
    const tally = new UsageTally(() => now);
    const refused = {
      ...RECORD,
      status: 400,
      code: 'verify.all_failed',
      fields: { itemCodes: 'ok,proof.false' },
    };
    tally.observe(refused);
    now = 7;
    tally.observe(refused);
    tally.observe({ ...RECORD, fields: { itemCodes: 'proof.false,ok' } });
    tally.observe({ ...RECORD, status: 404, code: 'http.not_found', route: 'unmatched' });
    const { refusals } = tally.take();
    expect(refusals.map(({ code, route, amount, lastAt }) => [code, route, amount, lastAt])).toEqual([
      ['verify.all_failed', RECORD.route, 2, 7],
      ['proof.false', RECORD.route, 2, 7],
      ['http.not_found', 'unmatched', 1, 7],
    ]);
  });

  it('counts each day by itself', () => {
    let now = DAY_MS - 1;
    const tally = new UsageTally(() => now);
    tally.count('app', 'production', 'signed_in');
    now = DAY_MS;
    tally.count('app', 'production', 'signed_in');
    tally.count('app', 'production', 'signed_in');
    expect(tally.take().usage.map(({ day, amount }) => [day, amount])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('keeps a bounded number of rows, whatever is sent', () => {
    const tally = new UsageTally(() => 0);
    for (let index = 0; index < 12_000; index++) {
      tally.accept('app', 'production', `action-${index}`);
      tally.count(`app-${index}`, 'production', 'signed_in');
    }
    const { actions, usage } = tally.take();
    expect([actions.length, usage.length]).toEqual([10_000, 10_000]);
  });

  it('adds the counts of another thread to its own rows, also those of the day before', () => {
    let now = 3 * DAY_MS - 1;
    const clock = (): number => now;
    const [tally, other] = [new UsageTally(clock), new UsageTally(clock)];
    const count = (): void => {
      for (const each of [tally, other]) {
        each.count('app', 'staging', 'signed_in');
        each.accept('app', 'staging', 'vote');
        each.observe({ ...RECORD, status: 400, code: 'verify.invalid_json' });
        now++;
      }
    };
    count();
    count();
    count();
    tally.add(other.take());
    expect(other.take()).toEqual({ usage: [], actions: [], refusals: [] });
    const { usage, actions, refusals } = tally.take();
    expect(usage).toEqual([
      { appId: 'app', day: 2, environment: 'staging', kind: 'signed_in', amount: 1 },
      { appId: 'app', day: 3, environment: 'staging', kind: 'signed_in', amount: 5 },
    ]);
    expect(actions).toEqual([{ appId: 'app', environment: 'staging', action: 'vote', amount: 6 }]);
    expect(refusals.map(({ hour, amount, lastAt }) => [hour, amount, lastAt - 3 * DAY_MS])).toEqual([
      [71, 1, -1],
      [72, 5, 4],
    ]);
  });

  it('adds rows of a day that is over to one row', () => {
    let now = 0;
    const tally = new UsageTally(() => now);
    tally.count('app', 'staging', 'signed_in');
    const other = new UsageTally(() => now);
    other.count('app', 'staging', 'signed_in');
    now = DAY_MS;
    tally.count('app', 'staging', 'signed_in');
    tally.add(other.take());
    expect(tally.take().usage.map(({ day, amount }) => [day, amount])).toEqual([
      [0, 2],
      [1, 1],
    ]);
  });
});
