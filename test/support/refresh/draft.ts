/** A refresh request whose every byte a test can set, sent over a new socket. */

import { headerOf, RawClient, type RawResponse } from '../server/raw-client.ts';
import { type FormFields, multipart, type RefreshCall } from './client.ts';

/** A request before it is encoded. */
export interface RefreshDraft extends RefreshCall {
  /** `POST` if absent. */
  readonly method?: string;
  /** Content-Type; by default that of the form, omitted if empty. */
  readonly contentType?: string;
  /** Further header lines, sent unchanged. */
  readonly lines?: readonly string[];
  /** Changes the encoded form. */
  readonly edit?: (body: Buffer) => Uint8Array;
  /** Content-Length to declare, with only the first 64 bytes of the body sent. */
  readonly announcedBytes?: number;
}

/** Replaces parts of the form; undefined removes a part. */
export function withParts(
  draft: RefreshDraft,
  parts: Readonly<Record<string, string | Uint8Array | undefined>>,
): RefreshDraft {
  const fields: Record<string, string | Uint8Array> = {};
  for (const [name, value] of Object.entries({ ...draft.fields, ...parts })) {
    if (value !== undefined) fields[name] = value;
  }
  return { ...draft, fields: fields as FormFields };
}

/** Port of a URL. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Sends a draft over a new connection. Returns the answer. */
export async function sendDraft(port: number, draft: RefreshDraft): Promise<RawResponse> {
  const form = multipart(draft.fields);
  const body = draft.edit?.(Buffer.from(form.body)) ?? form.body;
  const contentType = draft.contentType ?? form.contentType;
  const head = [
    `${draft.method ?? 'POST'} /api/v1/refresh${draft.query === '' ? '' : `?${draft.query}`} HTTP/1.1`,
    'Host: test',
    ...(contentType === '' ? [] : [`Content-Type: ${contentType}`]),
    ...Object.entries(draft.headers).map(([name, value]) => `${name}: ${value}`),
    ...(draft.lines ?? []),
    `Content-Length: ${draft.announcedBytes ?? body.length}`,
  ].join('\r\n');
  const client = await RawClient.open(port);
  try {
    client.send(`${head}\r\n\r\n`);
    client.send(draft.announcedBytes === undefined ? body : body.subarray(0, 64));
    return await client.response(draft.method === 'HEAD');
  } finally {
    client.destroy();
  }
}

/** Headers that every answer of the public listener has. */
const COMMON = ['x-request-id', 'x-content-type-options', 'content-length', 'date', 'uwebsockets'];
const OF_SOCKET = ['connection', 'keep-alive'];

/**
 * Headers of an answer by name, without those of every answer and without `connection` and `keep-alive`, which depend on
 * the socket.
 */
export function ownHeaders(answer: RawResponse): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name] of answer.headers) {
    if (!COMMON.includes(name) && !OF_SOCKET.includes(name)) own[name] = headerOf(answer, name) ?? '';
  }
  return own;
}
