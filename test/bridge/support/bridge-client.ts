import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';

/** An answer of the bridge; a JSON body is parsed. */
export interface BridgeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** A message in standard base64. */
export interface SentMessage {
  readonly iv: string;
  readonly payload: string;
}

/** Creates a random message. */
export function newMessage(payloadBytes = 40): SentMessage {
  return { iv: randomBytes(12).toString('base64'), payload: randomBytes(payloadBytes).toString('base64') };
}

/** Creates a random id as a caller may choose it. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

/** Calls `METHOD /path` below `base`; sends text unchanged, anything else as JSON. */
export async function call(base: string, line: string, body?: unknown): Promise<BridgeReply> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = text !== '' && answer.headers.get('content-type') === 'application/json';
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** Stores a request; returns its id. */
export async function postRequest(base: string, message: SentMessage = newMessage()): Promise<string> {
  const reply = await call(base, 'POST /request', message);
  expect(reply.status).toBe(200);
  return (reply.body as { request_id: string }).request_id;
}

/** Headers that every answer of the bridge has (spec/sign-in.md#bridge-calls). */
export function expectHeaders({ headers }: BridgeReply): void {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
}

const ERRORS: Readonly<Record<number, readonly [error: string, code: string]>> = {
  400: ['invalid_request', 'invalid_request'],
  404: ['invalid_request', 'not_found'],
  405: ['invalid_request', 'method_not_allowed'],
  409: ['invalid_request', 'conflict'],
  413: ['invalid_request', 'request_too_large'],
  429: ['temporarily_unavailable', 'rate_limit'],
  503: ['temporarily_unavailable', 'server_error'],
};

/** Checks that the answer is this refusal, in the union body of spec/sign-in.md#error-body. */
export function expectRefusal(reply: BridgeReply, status: number, attribute: string | null = null): void {
  const [error, code] = ERRORS[status] ?? [];
  const text = (reply.body as { detail?: unknown } | undefined)?.detail;
  expect(reply.body).toEqual({ error, error_description: text, code, detail: text, attribute });
  expect(text).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(reply.status).toBe(status);
  expectHeaders(reply);
  const retryAfter = reply.headers.get('retry-after');
  if (status === 429 || status === 503) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  else expect(retryAfter).toBeNull();
}
