/** Cost of each reader of each route as its input grows (SECURITY.md, "Inputs that cost more than their length"). */
import { beforeAll, describe, expect, it } from 'vitest';
import { type OpenApiDocument, readDocument } from '../openapi/support/described.ts';
import { RUNS_ALL } from '../support/cases.ts';
import { opened } from '../support/opened.ts';
import { RawClient } from '../support/server/raw-client.ts';
import { startSigninService } from '../support/signin/service.ts';
import { type Caller, type GrowingRequest, growingRequests } from './support/growing.ts';

const ADMIN_TOKEN = 'test-admin-token-with-32-characters-or-more';
/** What costs less at its greatest length is not an attack, however it grows. */
const NOTABLE_MS = 2.5;
/** Time at twice the bytes. */
const MOST_GROWTH = 2.2;
const TRIES = 5;
const ROUNDS = 4;

const HEADERS = [
  'Cookie',
  'Accept',
  'Accept-Language',
  'Accept-Encoding',
  'Content-Type',
  'Origin',
  'Referer',
  'If-None-Match',
  'If-Match',
  'User-Agent',
  'Forwarded',
  'X-Forwarded-For',
  'X-Request-Id',
  'traceparent',
  'Range',
  'Access-Control-Request-Headers',
  'Sec-Fetch-Site',
  'DPoP',
  'X-Own',
].map((name) => [name, ''] as const);
const AUTHORIZATIONS = ['', 'Basic ', 'Bearer ', 'DPoP '].map((prefix) => ['Authorization', prefix] as const);
/** `npm test` tries one request of so many; a prime number, so that each part meets other texts on each route. */
const ONE_OF = RUNS_ALL ? 1 : 47;
let cookies: readonly string[] = [];
let publicCaller: Caller;
let adminCaller: Caller;

const service = opened(
  () =>
    startSigninService({
      settings: {
        'admin.token': ADMIN_TOKEN,
        'log.level': 'error',
        'verify.worldid4.enabled': 'true',
        'signin.sessionSeconds': '3600',
        'groth16.enabled': 'true',
        'proxy.trusted': '127.0.0.0/8',
        'proxy.header': 'forwarded',
        'rateLimits.page': '0',
        'rateLimits.statusFailures': '0',
        'rateLimits.statusPerAddress': '0',
        'rateLimits.clientAuthFailures': '0',
        'rateLimits.adminFailures': '0',
        'rateLimits.refreshPerIdComm': '0',
        'rateLimits.refreshProofAttemptsPerMinute': '0',
      },
    }),
  'end',
);
beforeAll(async () => {
  const { web } = service;
  const { txn, cookie } = await service.begin();
  const names = [cookie.split('=')[0] ?? '', `__Host-pg_session_${web.clientId}`];
  cookies = names.flatMap((name) => [`${name}=`, `${name}=x`]);
  publicCaller = {
    path: { txn, client_id: web.clientId },
    headers: { Cookie: cookie },
    form: { client_id: web.clientId, client_secret: web.clientSecret },
  };
  adminCaller = {
    path: { app_id: web.clientId },
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
    form: {},
  };
});

/** Sends requests over one connection, and over another one when it ends. */
class Sender {
  readonly #port: number;
  #client: RawClient | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Returns the processor time of this process, in milliseconds, until the answer has come. */
  async cost(request: Buffer): Promise<number> {
    this.#client ??= await RawClient.open(this.#port);
    const began = process.cpuUsage();
    this.#client.send(request);
    const answer = await this.#client
      .response(request.subarray(0, 5).toString() === 'HEAD ')
      .catch(() => undefined);
    const { user, system } = process.cpuUsage(began);
    if (
      answer === undefined ||
      answer.headers.some(([name, value]) => name === 'connection' && value === 'close')
    ) {
      this.close();
    }
    return (user + system) / 1000;
  }

  async least(request: Buffer, tries: number): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < tries; n++) least = Math.min(least, await this.cost(request));
    return least;
  }

  close(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }
}

/**
 * Returns how a request grows if that is more than it may at each of the last two of three doublings; undefined otherwise. The first
 * one may hide what is not proportional behind what is, and one alone is also a step, as V8 has them when an object gets many members.
 */
async function faultOf(sender: Sender, { name, most, make }: GrowingRequest): Promise<string | undefined> {
  if ((await sender.least(make(most), 1)) < NOTABLE_MS) return undefined;
  let fault: string | undefined;
  for (let tries = TRIES; tries <= TRIES * ROUNDS; tries += TRIES) {
    const costs: number[] = [];
    for (const bytes of [0, most / 8, most / 4, most / 2, most]) {
      costs.push(await sender.least(make(bytes), tries));
    }
    const [base = 0, ...grown] = costs;
    const growths = grown.slice(1).map((cost, index) => (cost - base) / ((grown[index] ?? 0) - base));
    // A cost below that of no bytes is noise, as is the infinite or negative growth from it.
    if ((grown.at(-1) ?? 0) < NOTABLE_MS || !growths.slice(-2).every((growth) => growth > MOST_GROWTH))
      return undefined;
    fault = `${name}: ${costs.map((cost) => cost.toFixed(2)).join(', ')} ms up to ${most} bytes`;
  }
  return fault;
}

async function faultsOf(url: string, caller: Caller, prefix: string): Promise<readonly [number, string[]]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const plan = {
    headers: [...HEADERS, ...AUTHORIZATIONS],
    cookies,
    headBytes: 32_000,
    bodyBytes: RUNS_ALL ? 400_000 : 100_000,
  };
  const sender = new Sender(Number(new URL(url).port));
  const faults: string[] = [];
  let count = 0;
  for (const [method, path, operation] of readDocument(document).operations) {
    for (const request of growingRequests(method, prefix + path, operation, caller, plan)) {
      count++;
      if (!request.isKnown && count % ONE_OF !== 0) continue;
      const fault = await faultOf(sender, request);
      if (fault !== undefined) faults.push(fault);
    }
  }
  sender.close();
  return [count, faults];
}

describe('an input that grows', () => {
  it('costs the public listener in proportion', async () => {
    const [count, faults] = await faultsOf(service.app.publicUrl, publicCaller, '');
    expect(count).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
  });

  it('costs the admin listener in proportion', async () => {
    const [count, faults] = await faultsOf(service.app.adminUrl, adminCaller, '/admin/v1');
    expect(count).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
  });
});
