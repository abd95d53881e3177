/**
 * One address loads sign-in pages as fast as it can. Without a cached QR code and a rate limit, 560 loads per second
 * double the latency of all other requests.
 */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { toString as drawQrCode } from 'qrcode';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { opened } from '../support/opened.ts';
import type { PendingSignIn } from '../support/signin/driver.ts';
import { startSigninService } from '../support/signin/service.ts';
import { startSigninOfTest } from '../support/signin/shared-service.ts';

// Vitest hoists this call above the imports, so the factory imports what it needs.
vi.mock('qrcode', async (original) => {
  const { countedQrcode } = await import('../support/counted-qrcode.ts');
  return await countedQrcode(original);
});

const drawings = vi.mocked(drawQrCode);
const ATTACKER = '127.0.0.66';
const BYSTANDER = '127.0.0.77';
const CONNECTIONS = 8;

interface Load {
  readonly status: number;
  readonly bytes: number;
  readonly retryAfter: number;
}

/** Loads a path of the service from a loopback address, which the service takes as the client's. */
async function load(
  baseUrl: string,
  path: string,
  { from, cookie, agent }: { readonly from: string; readonly cookie?: string; readonly agent?: Agent },
): Promise<Load> {
  const request = get(`${baseUrl}${path}`, {
    localAddress: from,
    headers: { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) },
    ...(agent === undefined ? {} : { agent }),
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return {
    status: response.statusCode ?? 0,
    bytes,
    retryAfter: Number(response.headers['retry-after'] ?? Number.NaN),
  };
}

/** Loads paths in turn over a few connections, `count` times in all. */
async function flood(
  baseUrl: string,
  signIns: readonly Pick<PendingSignIn, 'txn' | 'cookie'>[],
  count: number,
  from = ATTACKER,
): Promise<Load[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const loads: Load[] = [];
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < count) {
      const signIn = signIns[next++ % signIns.length];
      const path = `/authorize/${signIn?.txn}`;
      loads.push(await load(baseUrl, path, { from, agent, cookie: signIn?.cookie ?? '' }));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return loads;
}

function countOf(loads: readonly Load[], status: number): number {
  return loads.filter((each) => each.status === status).length;
}

describe('many loads of sign-in pages, without a limit', () => {
  const service = opened(() => startSigninService({ settings: { 'rateLimits.page': '0' } }), 'end');
  beforeEach(() => drawings.mockClear());

  it('draw the QR code once per attempt, and send it once per page', async () => {
    const signIn = await service.begin();
    drawings.mockClear();
    const loads = await flood(service.baseUrl, [signIn], 300);
    expect(countOf(loads, 200)).toBe(300);
    // The first load was in `begin`.
    expect(drawings).not.toHaveBeenCalled();
    const html = await signIn.page();
    expect(html.match(/<path id="qr-drawing"/g)).toHaveLength(1);
    await signIn.retry();
    await flood(service.baseUrl, [signIn], 100);
    expect(drawings).toHaveBeenCalledTimes(1);
  });

  it('draw each QR code once when many sign-ins are loaded in turn', async () => {
    const signIns = await Promise.all(Array.from({ length: 40 }, () => service.begin()));
    drawings.mockClear();
    const loads = await flood(service.baseUrl, signIns, 400);
    expect(countOf(loads, 200)).toBe(400);
    expect(drawings).not.toHaveBeenCalled();
  });
});

describe('many loads of sign-in pages, with a limit', () => {
  const LIMIT = 50;
  const service = opened(() => startSigninService({ settings: { 'rateLimits.page': String(LIMIT) } }), 'end');

  it('are refused beyond it for every page and cookie, while other addresses are served', async () => {
    const signIn = await service.begin();
    const loads = await flood(service.baseUrl, [signIn], 3 * LIMIT);
    // The window of one minute may end during the flood.
    expect(countOf(loads, 200)).toBeGreaterThanOrEqual(LIMIT);
    expect(countOf(loads, 200)).toBeLessThanOrEqual(2 * LIMIT);
    expect(countOf(loads, 200) + countOf(loads, 429)).toBe(3 * LIMIT);
    for (const { status, retryAfter } of loads) {
      if (status === 429) expect(retryAfter).toBeGreaterThan(0);
    }
    const [page = 0, refusal = 0] = [200, 429].map((status) =>
      Math.max(...loads.filter((each) => each.status === status).map(({ bytes }) => bytes)),
    );
    expect(refusal).toBeLessThan(page / 3);

    const { txn, cookie } = signIn;
    const unknown = { txn: 'A'.repeat(43), cookie: `__Host-pg_txn_${'A'.repeat(16)}=${'A'.repeat(43)}` };
    for (const [path, own] of [
      [`/authorize/${txn}`, cookie],
      [`/authorize/${txn}`, undefined],
      [`/authorize/${unknown.txn}`, unknown.cookie],
      [`/authorize/${txn}/continue`, cookie],
      [`/signin/logo/${service.web.clientId}`, undefined],
    ] as const) {
      const options = { from: ATTACKER, ...(own === undefined ? {} : { cookie: own }) };
      expect((await load(service.baseUrl, path, options)).status, path).toBe(429);
    }
    // The requests and files of the pages have limits of their own.
    const status = await load(service.baseUrl, `/authorize/${txn}/status`, { from: ATTACKER, cookie });
    expect(status.status).toBe(200);

    const [own] = await flood(service.baseUrl, [signIn], 1, BYSTANDER);
    expect(own?.status).toBe(200);
  });
});

it('people behind one address load 200 pages ten times within a minute at the usual limit', async () => {
  const { config } = await loadConfig({ env: {}, cwd: '/', flags: {} });
  const limit = config.rateLimits.page;
  const service = await startSigninOfTest({ settings: { 'rateLimits.page': String(limit) } });
  const signIns = await Promise.all(Array.from({ length: 200 }, () => service.begin()));
  const loads = await flood(service.baseUrl, signIns, 2000);
  expect(countOf(loads, 200)).toBe(2000);
});
