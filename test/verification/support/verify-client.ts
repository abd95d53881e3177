import { expect } from 'vitest';
import type { RawResponse } from '../../support/server/raw-client.ts';
import type { Fields, ProofVector } from './vectors.ts';

/** An answer of the endpoint. */
export interface VerifyReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields;
}

/** Posts a body: text and bytes unchanged, anything else as JSON. */
export async function post(
  publicUrl: string,
  id: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<VerifyReply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(`${publicUrl}/api/v4/verify/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? Buffer.from(body) : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Fields };
}

/** Refusals of more than one endpoint. */
export const REFUSED = {
  notFound: { code: 'not_found', detail: 'Not found.' },
  busy: { code: 'engine_busy', detail: 'The verification queue is full. Please try again later.' },
  late: { code: 'engine_busy', detail: 'Verification did not finish in time. Please try again.' },
  tooMany: { code: 'rate_limit_exceeded', detail: 'Too many requests. Please try again later.' },
  internal: { code: 'internal_error', detail: 'Internal server error.' },
  unavailable: {
    code: 'service_unavailable',
    detail: 'The service is temporarily unavailable. Please try again.',
  },
} as const;

/** Result of an orb item that failed. */
export function failedItem({ nullifier_hash: nullifier }: ProofVector, code: string, detail: string): Fields {
  return { identifier: 'orb', success: false, nullifier, code, detail };
}

/** Result of an orb item that an internal error prevented. */
export function internalItem(entry: ProofVector): Fields {
  return failedItem(entry, 'internal_error', 'There was an internal issue verifying this proof.');
}

/** Expects status and body of an error that was read from a socket. */
export function expectRawError(reply: RawResponse, status: number, body: Fields): void {
  expect(JSON.parse(reply.body.toString())).toEqual({ success: false, attribute: null, ...body });
  expect(reply.status).toBe(status);
}

/** Expects status and body of an error, and the headers of every answer. */
export function expectError(reply: VerifyReply, status: number, body: Fields): void {
  expect(reply.body).toEqual({ success: false, attribute: null, ...body });
  expect(reply.status).toBe(status);
  expectHeaders(reply.headers);
  const retryAfter = reply.headers.get('retry-after');
  if (status === 503 || status === 429) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  else expect(retryAfter).toBeNull();
}

/** Expects the common headers (spec/verification.md#response-headers and spec/operations.md#answer-headers). */
export function expectHeaders(headers: Headers): void {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  expect(headers.get('access-control-allow-origin')).toBeNull();
}

/** Returns the only entry of `results`; throws if there is not exactly one. */
export function onlyResult({ body }: VerifyReply): Fields {
  const { results } = body;
  if (!Array.isArray(results) || results.length !== 1)
    throw new Error(`expected one result, got ${JSON.stringify(body)}`);
  return results[0] as Fields;
}
