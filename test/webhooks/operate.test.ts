// Rules: spec/operations.md#webhooks
import { describe, expect, it } from 'vitest';
import { maskedAddress } from '../../src/text.ts';
import { readReceiver } from '../../src/webhooks/operate.ts';

const NOTHING = { pending: 0, dead: 0, oldestPendingAt: null };
const outcome = (at: number, reason: string | null = null) => ({ at, eventId: 'msg_a', reason });

async function stateOf(delivered?: number, failed?: number): Promise<string | undefined> {
  const outbox = {
    counts: async () => NOTHING,
    lastOutcomes: async () => ({
      delivered: delivered === undefined ? undefined : outcome(delivered),
      failed: failed === undefined ? undefined : outcome(failed, 'no answer'),
    }),
  };
  return (await readReceiver({ url: 'https://a.example' }, outbox, 9))?.state;
}

describe('the address of a receiver', () => {
  it.each([
    ['https://ops.example.com/hooks/T0/B0/secret', 'https://ops.example.com/…'],
    ['https://ops.example.com:8443/?key=secret', 'https://ops.example.com:8443/…'],
    ['https://ops.example.com', 'https://ops.example.com'],
    ['https://ops.example.com/', 'https://ops.example.com'],
  ])('%s is shown as %s', (url, shown) => {
    expect(maskedAddress(url)).toBe(shown);
  });
});

describe('the state of a receiver', () => {
  it('is that of the last attempt', async () => {
    expect(await stateOf()).toBe('unused');
    expect(await stateOf(5)).toBe('receiving');
    expect(await stateOf(undefined, 5)).toBe('failing');
    expect(await stateOf(5, 4)).toBe('receiving');
    expect(await stateOf(5, 6)).toBe('failing');
  });

  it('is none while webhooks are off', async () => {
    const outbox = {
      counts: () => Promise.reject(new Error('read')),
      lastOutcomes: () => Promise.reject(new Error('read')),
    };
    expect(await readReceiver({ url: undefined }, outbox, 9)).toBeUndefined();
  });
});
