import { afterEach, describe, expect, it, vi } from 'vitest';
import { readStatus } from '../../../src/client/signin/poller.ts';

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
