// Rules: spec/sign-in.md#status
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { createStatusGuard } from '../../../src/http/routes/public/signin/transaction/status-guard.ts';
import { casesOf } from '../../support/cases.ts';
import { openSignIn, type PendingSignIn } from '../../support/signin/driver.ts';
import { startSigninOfTest } from '../../support/signin/shared-service.ts';

const POLLS_A_MINUTE = 30;
const PAGES = casesOf(200, 12);

describe('the guard of the status', () => {
  /** Builds a poll of a page that has a cookie, or of a client that has none. */
  const requestOf = (txn: string, cookie?: string, addressKey = '192.0.2.1') => ({
    params: { txn },
    headers: new Map(cookie === undefined ? [] : [['cookie', `__Host-pg_txn_${txn.slice(0, 16)}=${cookie}`]]),
    addressKey,
  });
  const [OWN, OTHER] = ['A'.repeat(43), 'B'.repeat(43)];

  /** Makes a guard over a store that accepts the cookie `right` for each sign-in and counts its reads. */
  const make = (perSignIn: number, failures: number) => {
    const limits = new Limits();
    const guard = createStatusGuard(
      {
        perSignIn: limits.perMinute('status', perSignIn),
        failures: limits.failuresPerMinute('failures', failures),
      },
      limits.known('signInPages'),
    );
    const store = { reads: 0 };
    const call = async (request: ReturnType<typeof requestOf>): Promise<string> => {
      try {
        return await guard.serve(request, async () => {
          store.reads++;
          if (!request.headers.get('cookie')?.endsWith('=right'))
            throw new ServiceError('transaction.not_found');
          return 'status';
        });
      } catch (error) {
        return error instanceof ServiceError ? error.code : 'other';
      }
    };
    return { guard, store, call };
  };

  it('counts the calls of each sign-in separately, whatever the address', async () => {
    const { call, store } = make(3, 10);
    for (let count = 0; count < 3; count++) expect(await call(requestOf(OWN, 'right'))).toBe('status');
    expect(await call(requestOf(OWN, 'right'))).toBe('http.rate_limited');
    expect(await call(requestOf(OWN, 'right', '192.0.2.2'))).toBe('http.rate_limited');
    expect(store.reads).toBe(3);
    expect(await call(requestOf(OTHER, 'right'))).toBe('status');
  });

  it('stops reading for an address that sent wrong cookies too often', async () => {
    const { call, store } = make(100, 5);
    const wrong = ['wrong', undefined, 'wrong', 'also-wrong', undefined];
    for (const cookie of wrong) expect(await call(requestOf(OWN, cookie))).toBe('transaction.not_found');
    expect(store.reads).toBe(5);
    for (let count = 0; count < 1000; count++) {
      expect(await call(requestOf(`${count}`.padStart(43, 'C'), 'wrong'))).toBe('http.rate_limited');
    }
    expect(store.reads).toBe(5);
    expect(await call(requestOf(OWN, 'wrong', '192.0.2.2'))).toBe('transaction.not_found');
  });

  it('serves the pages that it knows, however many failures came from their address', async () => {
    const { call, guard } = make(100, 2);
    expect(await call(requestOf(OWN, 'right'))).toBe('status');
    guard.admitted(requestOf(OTHER, 'right'));
    for (let count = 0; count < 5; count++) await call(requestOf(OWN, 'wrong'));
    expect(await call(requestOf(OWN, 'wrong'))).toBe('http.rate_limited');
    expect(await call(requestOf(OWN, 'right'))).toBe('status');
    expect(await call(requestOf(OTHER, 'right'))).toBe('status');
  });

  it('is off if its settings are 0', async () => {
    const { call } = make(0, 0);
    for (let count = 0; count < 200; count++) {
      expect(await call(requestOf(OWN, count % 2 === 0 ? 'right' : 'wrong'))).not.toBe('http.rate_limited');
    }
  });
});

describe('many people behind one address', () => {
  it(`poll with ${PAGES} pages for a minute without a limit, while another client guesses cookies`, async () => {
    const service = await startSigninOfTest({
      settings: {
        'rateLimits.status': '60',
        'rateLimits.statusPerAddress': '12000',
        'rateLimits.statusFailures': '120',
      },
    });
    const pages: PendingSignIn[] = [];
    for (let count = 0; count < PAGES; count++) pages.push(await service.begin());
    const [first] = pages;
    const guess = await openSignIn(service.baseUrl, first?.txn ?? '', '__Host-pg_txn_x=guess');
    const guessing = Promise.allSettled(Array.from({ length: 300 }, () => guess.status()));
    for (let poll = 0; poll < POLLS_A_MINUTE; poll++) {
      const statuses = await Promise.all(pages.map((page) => page.status()));
      expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(['waiting']));
    }
    const guesses = await guessing;
    expect(guesses.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    const refusals = guesses.map((guess) => (guess.status === 'rejected' ? String(guess.reason) : ''));
    expect(refusals.filter((text) => text.includes(': 429'))).not.toHaveLength(0);
  });
});
