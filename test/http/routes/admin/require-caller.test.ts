// Rules: spec/operations.md#admin-api
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '../../../../src/admin/admin-tokens.ts';
import { Limits } from '../../../../src/http/limits/limits.ts';
import { createRequireCaller, type RequireCaller } from '../../../../src/http/routes/admin/require-caller.ts';

const WAIT_MS = 5000;
const REFUSED = { code: 'http.rate_limited', details: { retryAfterSeconds: expect.any(Number) } };

let requireCaller: RequireCaller;
/** Outcomes in the order in which they came. */
let outcomes: unknown[];

function send(token: string, address = '192.0.2.1'): void {
  const headers = new Map([['authorization', `Bearer ${token}`]]);
  requireCaller({ headers, address }).then(
    ({ actor }) => outcomes.push(actor),
    (error) => outcomes.push(error),
  );
}

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  outcomes = [];
  const authenticate = createAuthenticate(() => 'right', { find: async () => undefined }, Date.now);
  requireCaller = createRequireCaller(authenticate, new Limits().failuresPerMinute('test', 2));
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an address with too many failed tokens', () => {
  beforeEach(async () => {
    send('wrong');
    send('wrong');
    await pass(0);
    expect(outcomes.splice(0)).toMatchObject([
      { code: 'http.unauthenticated' },
      { code: 'http.unauthenticated' },
    ]);
  });

  it('waits for the answer to a wrong token and to a right one equally', async () => {
    send('wrong');
    send('right');
    await pass(WAIT_MS - 1);
    expect(outcomes).toEqual([]);
    await pass(1);
    expect(outcomes).toMatchObject([REFUSED, 'api:config']);
  });

  it('waits for the end of the minute only, if that comes first', async () => {
    await pass(58_000);
    send('right');
    await pass(2000);
    expect(outcomes).toEqual(['api:config']);
    send('wrong');
    await pass(0);
    expect(outcomes).toMatchObject(['api:config', { code: 'http.unauthenticated' }]);
  });

  it('is refused at once, whatever the token, while eight of its requests wait', async () => {
    for (let index = 0; index < 8; index++) send('wrong');
    send('wrong');
    send('right');
    await pass(0);
    expect(outcomes.splice(0)).toMatchObject([REFUSED, REFUSED]);
    await pass(WAIT_MS);
    expect(outcomes.splice(0)).toHaveLength(8);
    send('right');
    await pass(WAIT_MS);
    expect(outcomes).toEqual(['api:config']);
  });

  it('delays no other address', async () => {
    send('right', '192.0.2.2');
    await pass(0);
    expect(outcomes).toEqual(['api:config']);
  });
});
