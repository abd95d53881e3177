// Rules: spec/sign-in.md#rate-limits
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getJson, postForm } from '../../src/client/demo/calls.ts';
import { fetchWithRetry, retryAfterSeconds } from '../../src/client/retry-after.ts';
import { startAgreeForm } from '../../src/client/signin/sign-in-view.ts';
import { putAnswer, takeRequest } from '../../src/client/wallet/calls/bridge-client.ts';

const BUSY = 'Please wait.';
const LINK = {
  bridge: 'https://id.example/bridge',
  requestId: '3f2b8c1e-7a54-4d0f-9b61-2c8e5a7d1f90',
  key: new Uint8Array(32),
};
const MESSAGE = { iv: 'aXY=', payload: 'cGF5bG9hZA==' };

const limited = (seconds?: string): Response =>
  new Response('{}', { status: 429, headers: seconds === undefined ? {} : { 'Retry-After': seconds } });

/** A service with answers from the test, and the requests that it got. */
class Service {
  readonly requests: string[] = [];
  readonly answers: (() => Response)[] = [];

  fetch(url: unknown, init?: RequestInit): Promise<Response> {
    this.requests.push(`${init?.method} ${String(url)} ${String(init?.body ?? '')}`);
    const answer = this.answers.shift();
    return answer === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve(answer());
  }
}

let service: Service;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  service = new Service();
  vi.stubGlobal('fetch', (url: unknown, init?: RequestInit) => service.fetch(url, init));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the time that a page waits', () => {
  it.each([
    ['1', 1],
    ['60', 60],
    ['900', 60],
    [undefined, 10],
    ['0', 10],
    ['-1', 10],
    ['soon', 10],
  ])('is that of Retry-After %s: %i s', (sent, seconds) => {
    expect(retryAfterSeconds(limited(sent).headers)).toBe(seconds);
  });
});

describe('a request beyond a rate limit', () => {
  it('is sent again after the time that each refusal names', async () => {
    service.answers.push(...['7', '30'].map((seconds) => () => limited(seconds)), () => Response.json({}));
    const waits: number[] = [];
    const answer = fetchWithRetry(
      () => service.fetch('/a'),
      () => void waits.push(service.requests.length),
    );
    await vi.advanceTimersByTimeAsync(6999);
    expect(service.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(service.requests).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await answer).status).toBe(200);
    expect(waits).toEqual([1, 2]);
  });

  it('is given up after five waits', async () => {
    for (let count = 0; count < 10; count++) service.answers.push(() => limited('60'));
    const answer = fetchWithRetry(() => service.fetch('/a'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect((await answer).status).toBe(429);
    expect(service.requests).toHaveLength(6);
  });

  it('is not sent again for another refusal', async () => {
    service.answers.push(() => new Response('', { status: 503, headers: { 'Retry-After': '1' } }));
    expect((await fetchWithRetry(() => service.fetch('/a'))).status).toBe(503);
    expect(service.requests).toHaveLength(1);
  });
});

describe('the pages of the service', () => {
  /** Runs a call of a page whose first answer is a refusal, and returns what it gives and what was sent. */
  async function afterWait<T>(call: () => Promise<T>, served: () => Response): Promise<T> {
    service.answers.push(() => limited('20'), served);
    const done = call();
    await vi.advanceTimersByTimeAsync(19_999);
    expect(service.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    const result = await done;
    expect(service.requests).toHaveLength(2);
    expect(service.requests[1]).toBe(service.requests[0]);
    return result;
  }

  it('wait: the development wallet, when it takes a request', async () => {
    expect(
      await afterWait(
        () => takeRequest(LINK),
        () => Response.json(MESSAGE),
      ),
    ).toEqual(MESSAGE);
  });

  it('wait: the development wallet, when it answers', async () => {
    await afterWait(
      () => putAnswer(LINK, MESSAGE),
      () => new Response('', { status: 201 }),
    );
    expect(service.requests[1]).toContain(JSON.stringify(MESSAGE));
  });

  it('wait: the demo, when it reads and when it exchanges a code', async () => {
    const read = await afterWait(
      () => getJson('/jwks'),
      () => Response.json({ keys: [] }),
    );
    expect([read.status, read.body]).toEqual([200, { keys: [] }]);
    service.requests.splice(0);
    const sent = await afterWait(
      () => postForm('/token', { code: 'c' }),
      () => Response.json({ a: 1 }),
    );
    expect(sent.body).toEqual({ a: 1 });
  });

  it('wait: the boxes of the sign-in page, which say so meanwhile', async () => {
    const { press, said, box, isStored } = openBoxes();
    await afterWait(
      async () => {
        press();
        await vi.advanceTimersByTimeAsync(0);
        expect(said.textContent).toBe(BUSY);
        await isStored();
      },
      () => STORED,
    );
    expect([said.textContent, box.checked]).toEqual(['', true]);
  });
});

describe('a box of the sign-in page', () => {
  it('is sent again until an answer arrives: it may be stored already', async () => {
    const { press, said, box, isStored } = openBoxes();
    press();
    await vi.advanceTimersByTimeAsync(6000);
    expect(service.requests).toHaveLength(4);
    expect([said.textContent, box.checked]).toEqual([UNREACHABLE, true]);
    service.answers.push(() => STORED);
    await vi.advanceTimersByTimeAsync(2000);
    await isStored();
    expect([said.textContent, box.checked]).toEqual(['', true]);
  });

  it('is reset if the service refuses', async () => {
    const { press, said, box, isStored } = openBoxes();
    service.answers.push(() => new Response('', { status: 403 }));
    press();
    await isStored();
    expect([said.textContent, box.checked]).toEqual(['failed', false]);
  });
});

const UNREACHABLE = 'No answer.';
const STORED = { type: 'opaqueredirect', status: 0 } as Response;

/** The boxes of a sign-in page; `press` ticks one. */
function openBoxes() {
  class FakeInput {
    checked = true;
  }
  vi.stubGlobal('HTMLInputElement', FakeInput);
  vi.stubGlobal(
    'FormData',
    class {
      *[Symbol.iterator]() {
        yield ['stay', 'on'];
      }
    },
  );
  const listeners = new Map<string, (event: object) => void>();
  const form = {
    hidden: true,
    action: '/agree',
    dataset: { failed: 'failed' },
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
  };
  const said = { textContent: '' };
  const box = new FakeInput();
  const isStored = startAgreeForm(form as unknown as HTMLFormElement, said as HTMLElement, {
    busy: BUSY,
    unreachable: UNREACHABLE,
  });
  return { said, box, isStored, press: () => listeners.get('change')?.({ target: box }) };
}
