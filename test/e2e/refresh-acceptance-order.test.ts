import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/semaphore/index.ts';
import { headerOf, type RawResponse } from '../support/raw-client.ts';
import { CHECK_PAIRS, CHECK_ROWS, type CheckRow } from '../support/refresh-check-rows.ts';
import { type CheckWorld, type PreparedCheck, startCheckWorld } from '../support/refresh-check-world.ts';
import { ownHeaders, portOf, sendDraft } from '../support/refresh-draft.ts';

let world: CheckWorld;

beforeAll(async () => {
  world = await startCheckWorld();
});
afterAll(() => world?.end());

const JUDGED = CHECK_ROWS.findIndex(({ row }) => row === '9');

/** Checks everything that the client sees of a refusal. */
function expectAnswer(answer: RawResponse, { status, error, headers = {} }: CheckRow): void {
  const text = answer.body.toString();
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect(body).toEqual({
    success: false,
    ...(error === undefined ? {} : { error }),
    message: expect.stringMatching(/^[\x20-\x7e]{8,200}$/),
  });
  expect(Object.keys(body)).toEqual(['success', ...(error === undefined ? [] : ['error']), 'message']);
  expect(answer.status).toBe(status);
  const usual = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  expect(ownHeaders(answer)).toEqual({ ...usual, ...headers });
  expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
  expect(headerOf(answer, 'x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
}

/** Sends a request that is refused, and checks that store and counters are as before. */
async function refuse(check: PreparedCheck, row: CheckRow): Promise<void> {
  const before = { ...world.state.read(), attempts: world.state.attempts() };
  const answer = await check.send();
  expectAnswer(answer, row);
  const isJudged = CHECK_ROWS.indexOf(row) >= JUDGED;
  expect({ ...world.state.read(), attempts: world.state.attempts() }).toEqual({
    ...before,
    attempts: before.attempts + Number(isJudged),
  });
  const text = answer.body.toString();
  for (const value of [check.holder.idComm, check.holder.sub]) {
    expect(text).not.toContain(toHex(value).slice(2).replace(/^0+/, ''));
  }
  // such a refusal is logged once per address and minute
  if (row.code === 'http.rate_limited') return;
  const requestId = headerOf(answer, 'x-request-id') ?? '';
  const line = await check.node.logLine({ headers: new Headers({ 'x-request-id': requestId }) });
  const number = Number.parseInt(row.row, 10);
  expect(line).toMatchObject({
    code: row.code,
    refusal: row.error ?? 'DISABLED',
    ...(Number.isNaN(number) ? {} : { check: number }),
  });
}

describe('refresh.md section 3: each check', () => {
  it('lets the complete request through', async () => {
    const check = await world.prepare([]);
    const answer = await check.send();
    expect(JSON.parse(answer.body.toString())).toEqual({
      success: true,
      credential: expect.any(String),
      message: 'Credential refreshed successfully',
    });
    expect(ownHeaders(answer)).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    const holder = toHex(check.holder.idComm).slice(2);
    const { bindings, credentials } = world.state.read();
    expect(bindings.filter((row) => row.includes(holder))).toHaveLength(1);
    expect(credentials.filter((row) => row.includes(holder))).toHaveLength(1);
  });

  it.each(CHECK_ROWS)('row $row: $status $code', async (row) => {
    const check = await world.prepare([row]);
    await refuse(check, row);
  });

  it.each(CHECK_ROWS.filter(({ change }) => change !== undefined))(
    'row $row: the refused holder is refreshed by the request without the fault',
    async (row) => {
      const check = await world.prepare([row]);
      await check.send();
      const whole = await world.nodes.open.client.call(check.holder);
      const answer = await sendDraft(portOf(world.nodes.open.app.publicUrl), whole);
      expect(answer.status).toBe(200);
    },
  );
});

describe('refresh.md section 3: the earlier row answers', () => {
  it.each(CHECK_PAIRS.map((pair) => ({ ...pair, rows: `${pair.first.row} and ${pair.second.row}` })))(
    'where $rows fail',
    async ({ first, second }) => {
      await refuse(await world.prepare([first, second]), first);
    },
  );

  it('where all of them fail', async () => {
    for (const [index, row] of CHECK_ROWS.entries()) {
      await refuse(await world.prepare(CHECK_ROWS.slice(index)), row);
    }
  });
});
