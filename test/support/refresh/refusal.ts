/** Checks common to every refusal: its exact body and headers, its log line, and that nothing was written. */
import { expect } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { headerOf, type RawResponse } from '../server/raw-client.ts';
import type { CheckRow } from './check-rows.ts';
import type { CheckWorld, PreparedCheck } from './check-world.ts';
import { ownHeaders } from './draft.ts';

/** An expected refusal. */
export interface ExpectedRefusal extends Pick<CheckRow, 'code' | 'status' | 'error' | 'headers'> {
  /** Number of the check in the log; undefined if the log names none. */
  readonly check?: number;
  /** Expected text of the message. */
  readonly says?: string | RegExp;
  /** Whether the service checked a proof, which counts as an attempt. */
  readonly isJudged: boolean;
}

/** Checks everything that the client sees of a refusal. Returns its message. */
export function expectRefusal(answer: RawResponse, expected: Omit<ExpectedRefusal, 'isJudged'>): string {
  const { status, error, headers = {}, says = /^/ } = expected;
  const body = JSON.parse(answer.body.toString()) as Readonly<Record<string, unknown>>;
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
  const message = String(body.message);
  expect(message).toMatch(says);
  return message;
}

/**
 * Sends a request that is refused, and checks that nothing is bound or issued, and no other attempt is
 * counted.
 */
export async function refuse(
  world: Pick<CheckWorld, 'state'>,
  check: PreparedCheck,
  expected: ExpectedRefusal,
): Promise<void> {
  const before = { ...world.state.read(), attempts: world.state.attempts() };
  const answer = await check.send();
  const message = expectRefusal(answer, expected);
  expect({ ...world.state.read(), attempts: world.state.attempts() }).toEqual({
    ...before,
    attempts: before.attempts + Number(expected.isJudged),
  });
  for (const value of [check.holder.idComm, check.holder.sub]) {
    expect(message).not.toContain(toHex(value).slice(2).replace(/^0+/, ''));
  }
  // such refusals are logged once a minute
  if (expected.code === 'http.rate_limited' || expected.code === 'refresh.disabled') return;
  const requestId = headerOf(answer, 'x-request-id') ?? '';
  const line = await check.node.logLine({ headers: new Headers({ 'x-request-id': requestId }) });
  expect(line).toMatchObject({
    code: expected.code,
    refusal: expected.error ?? 'DISABLED',
    ...(expected.check === undefined ? {} : { check: expected.check }),
  });
}
