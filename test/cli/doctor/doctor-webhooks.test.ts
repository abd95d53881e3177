// Rules: spec/operations.md#webhooks
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkWebhooks, type WebhookFacts } from '../../../src/cli/doctor/checks/webhooks.ts';
import { parseProxy, proxyFinder } from '../../../src/config/values/proxy-rules.ts';
import { useProxies } from '../../../src/egress-proxies.ts';
import { useCliFolder } from '../support/cli.ts';
import { skipBackendTrials } from '../support/skip-backend-trials.ts';

skipBackendTrials();

const NOW = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;
const SECRET = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;

/** Checks webhooks that work but for the given changes; returns [name, status, detail, cure] of each line. */
async function check(webhooks: object, changes: Partial<WebhookFacts> = {}): Promise<unknown[][]> {
  const config = {
    profile: 'production',
    webhooks: { url: 'https://ops.example.com/hooks/T0', secret: SECRET, ...webhooks },
  } as WebhookFacts['config'];
  const outbox = { pending: 0, dead: 0, oldestPendingAt: null };
  const results = await checkWebhooks({ config, outbox, now: NOW, resolve: async () => [], ...changes });
  return results.map(({ name, status, detail, cure }) => [name, status, detail, cure]);
}

describe('doctor, webhooks', () => {
  it('are well while the receiver is found and gets its events', async () => {
    expect(await check({})).toEqual([
      ['webhooks', 'ok', 'events go to https://ops.example.com/…, signed', undefined],
      ['webhook events', 'ok', 'all received', undefined],
    ]);
    const [line] = await check({ secretPrevious: SECRET });
    expect(line?.[2]).toContain('webhooks.secret and webhooks.secretPrevious');
  });

  it('leave the name of the receiver to a proxy', async () => {
    onTestFinished(() => useProxies(() => undefined));
    const proxy = parseProxy('http://alice:secret@egress.example:3128');
    useProxies(proxyFinder({ http: proxy, https: proxy, exceptions: [] }));
    const resolve = vi.fn();
    const [line] = await check({}, { resolve });
    expect(line?.[2]).toBe(
      'events go to https://ops.example.com/… through http://egress.example:3128, signed',
    );
    expect(resolve).not.toHaveBeenCalled();
  });

  it('are not checked while they are off', async () => {
    const resolve = vi.fn();
    expect(await check({ url: undefined }, { resolve })).toEqual([
      ['webhooks', 'ok', 'off, since webhooks.url is not set', undefined],
    ]);
    expect(resolve).not.toHaveBeenCalled();
  });

  it.each([
    ['without https', { url: 'http://ops.example.com/hook' }, 'is not https', 'https'],
    ['without a secret', { secret: undefined }, 'cannot be signed', 'webhooks.secret'],
    [
      'with a short secret',
      { secret: `whsec_${Buffer.alloc(23).toString('base64')}` },
      'cannot be signed',
      '24',
    ],
  ])('fail %s', async (_case, webhooks, detail, cure) => {
    const [line] = await check(webhooks);
    expect(line).toEqual([
      'webhooks',
      'fail',
      expect.stringContaining(detail),
      expect.stringContaining(cure),
    ]);
    expect(JSON.stringify(line)).not.toContain('T0');
  });

  it('may use http in development', async () => {
    const webhooks = { url: 'http://[::1]:8080/hook', secret: SECRET };
    const config = { profile: 'development', webhooks } as WebhookFacts['config'];
    const resolve = vi.fn(async () => []);
    const [line] = await checkWebhooks({ config, outbox: undefined, now: NOW, resolve });
    expect(line).toMatchObject({ status: 'ok', detail: 'events go to http://[::1]:8080/…, signed' });
    expect(resolve).toHaveBeenCalledWith('::1');
  });

  it('fail if the host of the receiver has no address, or none is found in time', async () => {
    const missing = [
      'webhooks',
      'fail',
      'the host of https://ops.example.com/… has no address',
      expect.stringContaining('webhooks.url'),
    ];
    expect((await check({}, { resolve: () => Promise.reject(new Error('ENOTFOUND')) }))[0]).toEqual(missing);
    vi.useFakeTimers();
    const late = check({}, { resolve: () => new Promise(() => undefined) });
    await vi.advanceTimersByTimeAsync(3000);
    vi.useRealTimers();
    expect((await late)[0]).toEqual(missing);
  });

  it.each([
    ['a dead letter', { pending: 3, dead: 1, oldestPendingAt: NOW }, '1 event was not received', 'resend'],
    [
      'events that have waited for long',
      { pending: 2, dead: 0, oldestPendingAt: NOW - 5 * HOUR_MS },
      '2 events were not received, the oldest for 5 h',
      'webhooks test',
    ],
  ])('warn of %s, with a cure', async (_case, outbox, detail, cure) => {
    expect((await check({}, { outbox }))[1]).toEqual([
      'webhook events',
      'warn',
      expect.stringContaining(detail),
      expect.stringContaining(cure),
    ]);
  });

  it('do not warn of events that are on the way', async () => {
    const outbox = { pending: 2, dead: 0, oldestPendingAt: NOW - HOUR_MS };
    expect((await check({}, { outbox }))[1]).toEqual(['webhook events', 'ok', '2 on the way', undefined]);
  });
});

describe('the command doctor', () => {
  const folder = useCliFolder();

  it('tells of events that were never sent', async () => {
    const env = { PROOFGATE_WEBHOOKS_URL: 'https://127.0.0.1/hook', PROOFGATE_WEBHOOKS_SECRET: SECRET };
    await folder.json(
      ['apps', 'add', '--app-id', `app_${'0'.repeat(32)}`, '--redirect-uri', 'https://a.example/cb'],
      {
        env,
      },
    );
    const { stdout } = await folder.run('doctor --json', { env, now: Date.now() + 2 * HOUR_MS });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    expect(checks.filter(({ name }) => name.startsWith('webhook'))).toMatchObject([
      { name: 'webhooks', status: 'ok' },
      { name: 'webhook events', status: 'warn', detail: '1 event was not received, the oldest for 2 h' },
    ]);
  });
});
