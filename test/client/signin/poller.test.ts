import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PollerEvents, readStatus, startPoller } from '../../../src/client/signin/poller.ts';

afterEach(() => void vi.unstubAllGlobals());

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(text, { status, headers })));
}

describe('the status of a sign-in', () => {
  it('is read from the body of the service', async () => {
    answer(200, { status: 'failed', expires_in: 12, code: 'invalid_proof', detail: 'It does not hold.' });
    expect(await readStatus('/authorize/x/status')).toEqual({
      kind: 'status',
      status: {
        state: 'failed',
        expiresInSeconds: 12,
        code: 'invalid_proof',
        detail: 'It does not hold.',
      },
    });
  });

  it('has no code and no detail if the service sends null', async () => {
    answer(200, { status: 'waiting', expires_in: 300, code: null, detail: null });
    expect(await readStatus('/s')).toMatchObject({ status: { code: null, detail: null } });
  });

  it('is requested with the cookie of this origin, and never read from a cache', async () => {
    const fetched = vi.fn(() => Promise.resolve(new Response('{}')));
    vi.stubGlobal('fetch', fetched);
    await readStatus('/s');
    expect(fetched).toHaveBeenCalledWith(
      '/s',
      expect.objectContaining({ credentials: 'same-origin', cache: 'no-store', redirect: 'error' }),
    );
  });

  it('is over if the service does not know the sign-in', async () => {
    answer(403, { code: 'session_not_found' });
    expect(await readStatus('/s')).toEqual({ kind: 'over' });
  });

  it.each([
    ['7', 7],
    ['soon', 10],
    ['0', 10],
    ['3600', 60],
  ])('is to be requested again later after a refusal with Retry-After %s', async (header, seconds) => {
    for (const status of [429, 503]) {
      answer(status, {}, { 'Retry-After': header });
      expect(await readStatus('/s')).toEqual({ kind: 'wait', seconds });
    }
  });

  it.each([
    ['a 503 without Retry-After', 503, {}],
    ['an unknown state', 200, { status: 'lost', expires_in: 1 }],
    ['a body without a time', 200, { status: 'waiting' }],
    ['a body that is not an object', 200, 'null'],
    ['a body that is not JSON', 200, '<html>'],
  ])('is unknown after %s', async (_, status, body) => {
    answer(status, body);
    expect(await readStatus('/s')).toEqual({ kind: 'unreachable' });
  });

  it('is unknown if there is no answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await readStatus('/s')).toEqual({ kind: 'unreachable' });
  });
});

/** A document that can be hidden, and a service with answers from the test. */
class Surroundings {
  isHidden = false;
  calls = 0;
  answers: (() => Response | Promise<Response>)[] = [];
  usual: () => Response | Promise<Response> = () => status('waiting');
  readonly #listeners: (() => void)[] = [];
  readonly #ofWindow = new Map<string, (event: { readonly persisted?: boolean }) => void>();

  readonly document = {
    isHidden: () => this.isHidden,
    addEventListener: (_: string, listener: () => void) => void this.#listeners.push(listener),
  };

  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    for (const listener of this.#listeners) listener();
  }

  listen(name: string, listener: (event: { readonly persisted?: boolean }) => void): void {
    this.#ofWindow.set(name, listener);
  }

  /** Fires an event of the window: the network is there again, or the browser shows a page that it has kept. */
  fire(name: 'online' | 'pageshow', event: { readonly persisted?: boolean } = {}): void {
    this.#ofWindow.get(name)?.(event);
  }

  fetch(): Promise<Response> {
    this.calls++;
    return Promise.resolve((this.answers.shift() ?? this.usual)());
  }
}

function status(state: string): Response {
  return Response.json({ status: state, expires_in: 100, code: null, detail: null });
}

const down = (): Response => new Response('', { status: 503 });

describe('polling the status', () => {
  let around: Surroundings;
  let events: { [name in keyof PollerEvents]: ReturnType<typeof vi.fn<PollerEvents[name]>> };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    around = new Surroundings();
    vi.stubGlobal('document', {
      get hidden() {
        return around.isHidden;
      },
      addEventListener: around.document.addEventListener,
    });
    vi.stubGlobal('addEventListener', around.listen.bind(around));
    vi.stubGlobal('fetch', () => around.fetch());
    events = {
      onStatus: vi.fn<PollerEvents['onStatus']>(() => true),
      onOver: vi.fn<PollerEvents['onOver']>(),
      onUnreachable: vi.fn<PollerEvents['onUnreachable']>(),
      onWait: vi.fn<PollerEvents['onWait']>(),
    };
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Lets time pass. Returns how often the status was requested until then. */
  const callsAfter = async (ms: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(ms);
    return around.calls;
  };

  it('happens every two seconds', async () => {
    startPoller('/s', events);
    expect(await callsAfter(1999)).toBe(0);
    expect(await callsAfter(1)).toBe(1);
    expect(await callsAfter(6000)).toBe(4);
    expect(events.onStatus).toHaveBeenCalledTimes(4);
  });

  it('pauses while the page is hidden, and continues immediately when it is visible again', async () => {
    startPoller('/s', events);
    around.hide(true);
    expect(await callsAfter(60_000)).toBe(0);
    around.hide(false);
    expect(await callsAfter(0)).toBe(1);
    expect(await callsAfter(2000)).toBe(2);
  });

  it('pauses while the page is busy with something else, and ignores what was asked before', async () => {
    const poller = startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(2000);
    let end = (): void => undefined;
    poller.askNow();
    poller.hold(
      new Promise<void>((done) => {
        end = done;
      }),
    );
    expect(await callsAfter(60_000)).toBe(2);
    expect(events.onStatus).toHaveBeenCalledTimes(1);
    end();
    expect(await callsAfter(0)).toBe(3);
    expect(await callsAfter(2000)).toBe(4);
    expect(events.onStatus).toHaveBeenCalledTimes(3);
  });

  it('ends when the status is final', async () => {
    events.onStatus.mockReturnValue(false);
    const poller = startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(60_000);
    poller.askNow();
    around.hide(false);
    expect(await callsAfter(60_000)).toBe(1);
  });

  it('ends when the sign-in is over', async () => {
    around.usual = () => new Response('', { status: 403 });
    startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events.onOver).toHaveBeenCalledTimes(1);
    expect(around.calls).toBe(1);
  });

  it('backs off up to sixteen seconds while the service is unreachable, and returns to two seconds afterwards', async () => {
    around.answers = [down, down, down, down, down];
    startPoller('/s', events);
    const times: number[] = [];
    for (let second = 1; second <= 60; second++) {
      const before = around.calls;
      await vi.advanceTimersByTimeAsync(1000);
      if (around.calls > before) times.push(second);
    }
    expect(times).toEqual([2, 6, 14, 30, 46]);
    expect(events.onUnreachable).toHaveBeenCalledTimes(5);
    await vi.advanceTimersByTimeAsync(4000);
    expect(events.onStatus).toHaveBeenCalledTimes(2);
  });

  describe.each([429, 503])('that is answered %s with Retry-After', (status) => {
    beforeEach(() => {
      around.answers = [() => new Response('', { status, headers: { 'Retry-After': '30' } })];
    });

    it('reports it, waits for that time, and continues by itself', async () => {
      startPoller('/s', events);
      await vi.advanceTimersByTimeAsync(2000);
      expect(events.onWait).toHaveBeenCalledTimes(1);
      expect(await callsAfter(29_999)).toBe(1);
      expect(await callsAfter(1)).toBe(2);
      expect(await callsAfter(4000)).toBe(4);
      expect(events.onStatus).toHaveBeenCalledTimes(3);
      expect(events.onUnreachable).not.toHaveBeenCalled();
    });

    it('does not poll earlier, whatever the person does with the page', async () => {
      const poller = startPoller('/s', events);
      await vi.advanceTimersByTimeAsync(2000);
      poller.askNow();
      around.hide(true);
      around.hide(false);
      poller.askNow();
      expect(await callsAfter(29_999)).toBe(1);
      expect(await callsAfter(1)).toBe(2);
    });

    it('polls once when the page is visible again, if the time ran out while it was hidden', async () => {
      startPoller('/s', events);
      await vi.advanceTimersByTimeAsync(2000);
      around.hide(true);
      expect(await callsAfter(60_000)).toBe(1);
      around.hide(false);
      expect(await callsAfter(0)).toBe(2);
    });
  });

  it('has at most one request in flight', async () => {
    let settle: (response: Response) => void = () => {};
    around.answers = [() => new Promise<Response>((resolve) => (settle = resolve))];
    const poller = startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(2000);
    poller.askNow();
    expect(await callsAfter(0)).toBe(1);
    settle(status('connected'));
    expect(await callsAfter(2000)).toBe(2);
  });

  it.each([
    ['the page is shown again', () => around.hide(false)],
    ['the network is there again', () => around.fire('online')],
    ['the browser shows the page that it has kept', () => around.fire('pageshow', { persisted: true })],
  ])('gives up a request that hangs, and asks again at once, when %s', async (_, happens) => {
    let settle: (response: Response) => void = () => {};
    around.answers = [() => new Promise<Response>((resolve) => (settle = resolve))];
    startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(2000);
    happens();
    expect(await callsAfter(0)).toBe(2);
    settle(status('completed'));
    await vi.advanceTimersByTimeAsync(0);
    expect(events.onStatus).toHaveBeenCalledTimes(1);
    expect(events.onStatus.mock.calls[0]?.[0].state).toBe('waiting');
    expect(await callsAfter(2000)).toBe(3);
  });

  it('gives up a request after fifteen seconds', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
      around.calls++;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    startPoller('/s', events);
    await vi.advanceTimersByTimeAsync(16_999);
    expect(events.onUnreachable).not.toHaveBeenCalled();
    expect(await callsAfter(1)).toBe(1);
    expect(events.onUnreachable).toHaveBeenCalledTimes(1);
    expect(await callsAfter(4000)).toBe(2);
  });

  it('is done once more when the browser shows a decided page that it has kept', async () => {
    events.onStatus.mockReturnValue(false);
    startPoller('/s', events, true);
    expect(await callsAfter(60_000)).toBe(0);
    around.fire('pageshow', { persisted: false });
    expect(await callsAfter(0)).toBe(0);
    around.fire('pageshow', { persisted: true });
    expect(await callsAfter(60_000)).toBe(1);
  });
});
