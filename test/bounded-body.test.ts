import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readBounded, withTimeLimit } from '../src/bounded-body.ts';

const NEVER_MS = 1_000_000;

/** Resolves once a signal aborts. */
function aborted(limit: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (limit.aborted) resolve('aborted');
    else limit.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}

describe('readBounded', () => {
  it('returns a body of the limit, and nothing of a longer one', async () => {
    expect(await readBounded(new Response('12345'), 5)).toEqual(Buffer.from('12345'));
    expect(await readBounded(new Response('123456'), 5)).toBeUndefined();
    expect(await readBounded(new Response(null), 0)).toEqual(Buffer.alloc(0));
  });
});

describe('withTimeLimit', () => {
  it('aborts after the time', async () => {
    expect(await withTimeLimit(1, undefined, aborted)).toBe('aborted');
  });

  it('aborts when the caller stops, also before it begins', async () => {
    const stop = new AbortController();
    const running = withTimeLimit(NEVER_MS, stop.signal, aborted);
    stop.abort();
    expect(await running).toBe('aborted');
    expect(await withTimeLimit(NEVER_MS, stop.signal, aborted)).toBe('aborted');
  });

  it('leaves nothing on the signal of the caller, whatever the outcome', async () => {
    const { signal } = new AbortController();
    expect(await withTimeLimit(NEVER_MS, signal, async (limit) => limit.aborted)).toBe(false);
    const failing = withTimeLimit(NEVER_MS, signal, () => Promise.reject(new Error('no answer')));
    await expect(failing).rejects.toThrow('no answer');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
