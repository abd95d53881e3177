import { afterAll, describe, expect, it } from 'vitest';
import { RUNS_ALL } from '../support/cases.ts';
import { openedServer } from '../support/opened.ts';
import { type AttackPlan, attack, openFrom } from '../support/server/attackers.ts';
import { headerOf, requestText } from '../support/server/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The default bounds divided by 64, as is the attack of 4,200 connections.
const SETTINGS = {
  PROOFGATE_HTTP_MAX_OPEN_EXCHANGES: '64',
  PROOFGATE_HTTP_MAX_UNFINISHED: '64',
  PROOFGATE_HTTP_MAX_UNFINISHED_PER_ADDRESS: '16',
  PROOFGATE_HTTP_MAX_BODY_BYTES: '4194304',
  PROOFGATE_HTTP_MAX_BODY_BYTES_PER_ADDRESS: '2097152',
};
const CONNECTIONS = 66;
const MOST_OPENED = RUNS_ALL ? 3000 : 1000;
const ROUNDS = RUNS_ALL ? 25 : 8;

const ATTACKER = '127.0.0.1';
const BYSTANDER = '127.0.0.2';
const PATH = '/api/v4/verify/rp_1';
const HEAD = requestText(`POST ${PATH}`, ['Content-Length: 200000']);
const CHUNKED_HEAD = requestText(`POST ${PATH}`, ['Transfer-Encoding: chunked']);
const ALMOST_WHOLE = requestText(`POST ${PATH}`, ['Content-Length: 200001'], 'x'.repeat(200_000));

const dataDir = temporaryFolder('attack', afterAll);

const server = openedServer(dataDir, SETTINGS);

function publicPort(): number {
  return Number(new URL(server.publicUrl).port);
}

/** Returns a metric of the public listener, summed over its other labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  if (!text.includes(`# TYPE ${name} `)) throw new Error(`no metric ${name}`);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{listener="public"`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Returns the statuses of an honest client's requests with a body in one packet, in two, and without one. */
async function statusesOfBystander(): Promise<(number | string)[]> {
  const client = await openFrom(publicPort(), BYSTANDER);
  const statuses: number[] = [];
  client.send(requestText(`POST ${PATH}`, ['Content-Length: 2'], '{}'));
  statuses.push((await client.response()).status);
  client.send(requestText(`POST ${PATH}`, ['Content-Length: 30000'], ' '.repeat(10_000)));
  await new Promise((resolve) => setImmediate(resolve));
  client.send(' '.repeat(20_000));
  statuses.push((await client.response()).status);
  client.send(requestText('GET /jwks.json'));
  statuses.push((await client.response()).status);
  client.send(requestText('GET /healthz'));
  statuses.push((await client.response()).status);
  client.destroy();
  const ready = await fetch(`${server.adminUrl}/health/ready`);
  await ready.arrayBuffer();
  return [...statuses, ready.status];
}

const UNTOUCHED = [400, 400, 200, 200, 200];

async function statusesDuring(plan: Omit<AttackPlan, 'port' | 'mostOpened'>): Promise<{
  statuses: (number | string)[][];
  answers: ReadonlyMap<string, number>;
  mostBodyBytes: number;
}> {
  const attackers = await attack({ ...plan, port: publicPort(), mostOpened: MOST_OPENED });
  const statuses: (number | string)[][] = [];
  let mostBodyBytes = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      statuses.push(await statusesOfBystander());
      mostBodyBytes = Math.max(mostBodyBytes, await metric('proofgate_http_body_bytes'));
    }
  } finally {
    attackers.stop();
  }
  return { statuses, answers: attackers.answers, mostBodyBytes };
}

const one = (): string => ATTACKER;
const many = (index: number): string => `127.0.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`;

describe('unfinished bodies', () => {
  const plans: [string, Omit<AttackPlan, 'port' | 'mostOpened'>][] = [
    ['that never arrive', { connections: CONNECTIONS, addressOf: one, opening: HEAD }],
    ['that arrive byte by byte', { connections: CONNECTIONS, addressOf: one, opening: HEAD, drip: 'x' }],
    [
      'in chunks without an end',
      { connections: CONNECTIONS, addressOf: one, opening: CHUNKED_HEAD, drip: '1\r\nx\r\n' },
    ],
    ['that never arrive, from many addresses', { connections: CONNECTIONS, addressOf: many, opening: HEAD }],
    [
      'in chunks without an end, from many addresses',
      { connections: CONNECTIONS, addressOf: many, opening: CHUNKED_HEAD, drip: '1\r\nx\r\n' },
    ],
  ];

  it.each(plans)('%s do not affect other clients or readiness', async (_name, plan) => {
    const before = await metric('proofgate_http_unfinished_ended_total');
    const { statuses } = await statusesDuring(plan);
    expect(statuses.filter((each) => String(each) !== String(UNTOUCHED))).toEqual([]);
    expect(await metric('proofgate_http_unfinished_ended_total')).toBeGreaterThan(before);
  });

  it('that use memory are refused with 503 from the addresses that use most, and no others', async () => {
    const { statuses, answers, mostBodyBytes } = await statusesDuring({
      connections: 40,
      addressOf: (index) => `127.0.0.${10 + (index % 2)}`,
      opening: ALMOST_WHOLE,
    });
    expect(statuses.filter((each) => String(each) !== String(UNTOUCHED))).toEqual([]);
    expect([...answers.keys()]).toEqual(['HTTP/1.1 503 Service Unavailable']);
    expect(mostBodyBytes).toBeGreaterThan(0);
    expect(mostBodyBytes).toBeLessThanOrEqual(4_194_304);
  });

  it('are refused with a Retry-After', async () => {
    const clients = [];
    for (let n = 0; n < 12; n++) {
      const client = await openFrom(publicPort(), '127.0.0.20');
      client.send(ALMOST_WHOLE);
      clients.push(client);
    }
    const [first] = clients;
    const answer = await first?.response();
    expect(answer?.status).toBe(503);
    expect(answer && headerOf(answer, 'retry-after')).toBe('1');
    expect(answer && headerOf(answer, 'connection')).toBe('close');
    expect(answer?.body.length).toBeLessThan(200);
    for (const client of clients) client.destroy();
  });

  it('free all that they used, and log at most one line per bound every ten seconds', async () => {
    await expect
      .poll(async () => {
        const names = ['unfinished_exchanges', 'body_bytes', 'open_exchanges'];
        const figures = await Promise.all(names.map((name) => metric(`proofgate_http_${name}`)));
        return figures.reduce((sum, figure) => sum + figure, 0);
      })
      .toBe(0);
    const lines = server.output().split('\n');
    expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
    const warnings = lines.filter((line) => line.includes('http.unfinished_ended'));
    const reasons = new Set(warnings.map((line) => JSON.parse(line).reason));
    // Whether all addresses together reach the bound of all depends on the order of the chunks.
    expect([...reasons]).toEqual(expect.arrayContaining(['address_bytes', 'address_count', 'count']));
    const ended = await metric('proofgate_http_unfinished_ended_total');
    expect(warnings.length).toBeLessThan(ended / 10);
    expect(lines.filter((line) => line.includes('not ready'))).toEqual([]);
  });
});
