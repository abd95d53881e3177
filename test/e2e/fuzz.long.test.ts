import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/errors/catalogue.ts';
import { rpIdOf } from '../../src/semaphore/hashes.ts';
import { bodyMaker, LOAD_APP, send } from '../support/load.ts';
import { opened } from '../support/opened.ts';
import { RawClient } from '../support/server/raw-client.ts';
import { type RawAnswer, rawExchange } from '../support/server/raw-exchange.ts';
import { startLoadApp } from '../support/signin/register-load-app.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 1000);
const PATH = `/api/v4/verify/${rpIdOf(LOAD_APP)}`;

/**
 * Statuses that uWebSockets.js itself answers, with its own page
 * (spec/operations.md#refusals-by-the-http-library).
 */
const LIBRARY_STATUSES = [400, 431, 505];
const LISTED = new Set(
  Object.values(ERRORS).flatMap((spec) =>
    'verify' in spec ? [`${spec.verify.status} ${spec.verify.code}`] : [],
  ),
);
const LISTED_ITEM_CODES = new Set(
  Object.values(ERRORS).flatMap((spec) => ('verifyItem' in spec ? [spec.verifyItem.code as string] : [])),
);

/** Returns what is wrong with an answer, or undefined if the error catalogue lists it. */
function fault(answer: RawAnswer): string | undefined {
  if (answer.status === 0 || answer.status === 204) return undefined;
  if (answer.body.startsWith('{') === false) {
    return LIBRARY_STATUSES.includes(answer.status) ? undefined : `${answer.status} without a JSON body`;
  }
  const body = JSON.parse(answer.body) as {
    success?: boolean;
    code?: string;
    error?: string;
    results?: { success: boolean; code?: string }[];
  };
  const badItem = body.results?.find((item) => !item.success && !LISTED_ITEM_CODES.has(item.code ?? ''));
  if (badItem) return `unlisted item code ${badItem.code}`;
  if (answer.status === 200 && (body.success === true || body.code === undefined)) return undefined;
  // A mutated path gets an error body of sign-in, which has other members.
  if (body.error !== undefined) return undefined;
  return LISTED.has(`${answer.status} ${body.code}`) ? undefined : `unlisted ${answer.status} ${body.code}`;
}

/** Returns a generator of whole numbers below a bound, which depend on the seed alone. */
function drawer(seed: string): (below: number) => number {
  let counter = 0;
  return (below) => createHash('sha256').update(`${seed}:${counter++}`).digest().readUInt32BE() % below;
}

const HEX_DIGITS = '0123456789abcdef';
const TOKENS = [
  'null',
  '{}',
  '[]',
  '""',
  '0',
  '-1',
  '1e999',
  '"\\ud800"',
  '"0x"',
  'true',
  '"3.0"',
  '[[[[[[',
  '\u0000',
  '\xff',
  '\ufeff',
];

function mutate(original: Buffer, draw: (below: number) => number): Buffer {
  const at = draw(original.length);
  const length = 1 + draw(40);
  const [before, after] = [original.subarray(0, at), original.subarray(at)];
  const kinds: (() => Buffer)[] = [
    () => Buffer.concat([before, Buffer.from([draw(256)]), after.subarray(1)]),
    () => Buffer.concat([before, after.subarray(length)]),
    () => Buffer.concat([before, after.subarray(0, length), after]),
    () => Buffer.concat([before, Buffer.from(TOKENS[draw(TOKENS.length)] ?? ''), after.subarray(length)]),
    () => Buffer.from(before),
    () => Buffer.concat([before, Buffer.from(HEX_DIGITS[draw(16)] ?? ''), after.subarray(1)]),
    () => Buffer.concat([before, Buffer.from([after[0] ?? 0, 0x22, 0x2c]), after.subarray(1)]),
  ];
  return (kinds[draw(kinds.length)] as () => Buffer)();
}

const head = (length: number, path = PATH): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('POST /api/v4/verify under malformed traffic', () => {
  let bodyText: string;
  const app = opened(startLoadApp, 'stop');
  beforeAll(async () => {
    bodyText = (await bodyMaker('fuzz'))().body;
  });

  const isAlive = async (): Promise<void> => {
    const answer = await send(app.publicUrl, (await bodyMaker('fuzz-alive'))().body);
    expect(answer.status).toBe(200);
  };

  it('answers a body that arrives in single bytes', async () => {
    const client = await RawClient.open(Number(new URL(app.publicUrl).port));
    client.send(head(Buffer.byteLength(bodyText)));
    await client.sendSlowly(bodyText);
    const { status, body } = await client.response();
    client.destroy();
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ success: true });
  });

  it('survives bodies cut at every tenth of their length', async () => {
    for (let tenth = 0; tenth < 10; tenth++) {
      const cut = bodyText.slice(0, Math.floor((bodyText.length * tenth) / 10));
      const answer = await rawExchange(app.publicUrl, [Buffer.from(head(bodyText.length) + cut)], true);
      expect([0, 400]).toContain(answer.status);
    }
    await isAlive();
  });

  it('refuses an oversized body, whether its length is declared or counted', async () => {
    const declared = await rawExchange(app.publicUrl, [Buffer.from(head(262_145))]);
    expect(declared.status).toBe(413);
    expect(JSON.parse(declared.body)).toMatchObject({
      success: false,
      code: 'payload_too_large',
      detail: 'Request body must not exceed 262144 bytes.',
    });
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 0x20), Buffer.from('\r\n')]);
    const chunkedHead = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const counted = await rawExchange(app.publicUrl, [
      Buffer.from(chunkedHead),
      ...Array<Uint8Array>(6).fill(chunk),
    ]);
    expect(counted.status).toBe(413);
    await isAlive();
  });

  it(`answers ${MUTATIONS} mutated bodies and heads with listed codes only`, async () => {
    const draw = drawer('proofgate-fuzz');
    const faults: string[] = [];
    const seen = new Map<number, number>();
    for (let index = 0; index < MUTATIONS; index++) {
      const isHead = index % 10 === 9;
      let body: Buffer = Buffer.from(bodyText);
      for (let times = 1 + draw(2); times > 0 && body.length > 0; times--) body = mutate(body, draw);
      const sent = isHead
        ? mutate(Buffer.from(head(Buffer.byteLength(bodyText)) + bodyText), draw)
        : Buffer.concat([Buffer.from(head(body.length)), body]);
      // A half-closed connection may lose its answer, so only a request that may be incomplete half-closes.
      const answer = await rawExchange(app.publicUrl, [sent], isHead);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      const isUnanswered = answer.status === 0 && !isHead;
      const found = isUnanswered ? 'no answer to a complete request' : fault(answer);
      if (found) faults.push(`mutation ${index}: ${found}`);
    }
    console.log(`fuzz: ${MUTATIONS} mutated requests, answers by status:`, Object.fromEntries(seen));
    expect(faults).toEqual([]);
    expect(seen.get(400) ?? 0).toBeGreaterThan(MUTATIONS / 4);
    await isAlive();
  });
});
