// Rules: spec/operations.md#admin-api
import { createConnection, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_BASE_PATH, type Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { type AdminClient, startAdmin } from './support/admin-client.ts';

const REQUESTS = 10_000;
const CONNECTIONS = 4;

/** Values that break schemas, parsers and databases. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -0,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '0x',
  '0x7',
  'a'.repeat(300),
  '../..',
  '%00',
  "'; drop table apps; --",
  '{{7*7}}',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  { __proto__: 1 },
  { length: -1 },
  '2024-01-01T00:00:00Z',
  '9999-99-99',
  '-1',
  'NaN',
];
const HEADERS: readonly (readonly [string, string])[] = [
  ...([
    ['If-Match', '*'],
    ['If-Match', '"0"'],
    ['If-Match', `"${'9'.repeat(15)}"`],
  ] as const),
  ...([
    ['Idempotency-Key', 'k'],
    ['Idempotency-Key', '\u00ff'],
    ['Content-Type', 'text/xml'],
  ] as const),
  ...([
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Accept', 'text/html'],
  ] as const),
];

/** Numbers below a bound, the same in each run. */
function numbers(): (bound: number) => number {
  let state = 0x2545f491;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const pick = numbers();
const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;

/** Returns a text for a URL; a lone surrogate has no UTF-8. */
function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

function mutated(value: unknown): unknown {
  if (pick(4) === 0 || value === null || typeof value !== 'object') return one(VALUES);
  const copy: Record<string, unknown> = { ...(value as object) };
  const names = Object.keys(copy);
  if (names.length === 0 || pick(5) === 0) copy[String(one(VALUES))] = one(VALUES);
  else if (pick(4) === 0) delete copy[one(names)];
  else {
    const name = one(names);
    copy[name] = mutated(copy[name]);
  }
  return Array.isArray(value) ? Object.values(copy) : copy;
}

/** Returns the bytes of a mutated request of an operation. */
function requestOf(
  { method, path, params = {}, query = {}, body, example }: Operation,
  token: string,
): Buffer {
  const segment = (text: string): string => (pick(8) === 0 ? text : escaped(text));
  const filled = Object.keys(params).reduce((text, name) => {
    const value = pick(3) === 0 ? (example.params?.[name] ?? 'x') : String(one(VALUES));
    return text.replace(`{${name}}`, segment(value).replaceAll(/[^\x21-\x7e]/g, '~') || 'x');
  }, path);
  const sent = Object.keys(query).filter(() => pick(2) === 0);
  const pairs = sent.map((name) => `${name}=${escaped(String(one(VALUES)))}`);
  if (pick(6) === 0) pairs.push(one(['=', '&', 'cursor=WzFd', 'cursor=e30', 'limit=1', '%', 'a=%ff']));
  const target = `${ADMIN_BASE_PATH}${filled}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  let text = '';
  if (body !== undefined && pick(20) > 0) {
    text = JSON.stringify(pick(6) === 0 ? (example.body ?? {}) : mutated(example.body ?? {})) ?? '';
    if (pick(12) === 0) text = text.slice(0, pick(text.length + 1));
  }
  const content = Buffer.from(text, pick(20) === 0 ? 'latin1' : 'utf8');
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Length: ${content.length}`,
    ...(pick(8) === 0 ? [] : ['Content-Type: application/json']),
    ...(pick(3) === 0 ? [`If-Match: "${pick(1000)}"`] : []),
    ...(pick(5) === 0 ? [one(HEADERS).join(': ')] : []),
  ];
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1'),
    content,
  ]);
}

let admin: AdminClient;

beforeAll(async () => {
  admin = await startAdmin({ settings: { 'log.level': 'error' } });
});

afterAll(() => admin.app.stop());

/** Sends a request on a connection of its own; returns the status, or 0 if the connection ended without an answer. */
function statusOf(request: Buffer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket: Socket = createConnection(port, '127.0.0.1', () => socket.write(request));
    const end = (): void => {
      socket.destroy();
      resolve(Number(answer.slice(9, 12)) || 0);
    };
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n\r\n')) end();
    });
    socket.on('close', end);
    socket.on('error', reject);
  });
}

describe('mutated requests of the admin API', () => {
  it(`are answered ${REQUESTS} times without an internal error, and the service goes on`, async () => {
    const port = Number(new URL(admin.app.adminUrl).port);
    // Revoking tokens, changing the workers and credential keys a thousand times tests nothing more.
    const operations = OPERATIONS.filter(({ id }) => id !== 'updateEngine' && id !== 'rotateKey');
    const counts = new Map<number, number>();
    const faults: string[] = [];
    let left = REQUESTS;
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const request = requestOf(one(operations), admin.token);
        const status = await statusOf(request, port);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status >= 500 || status === 0)
          faults.push(`${status} ${request.toString('latin1').slice(0, 600)}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    expect(faults.slice(0, 3)).toEqual([]);
    expect([...counts.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]));
    expect((await admin.call('GET /status')).body.ready).toBe(true);
  });
});
