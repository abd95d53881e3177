/** A refresh request whose every byte a test can say, sent over a socket of its own. */

import { headerOf, RawClient, type RawResponse } from '../server/raw-client.ts';
import { type FormFields, multipart, type RefreshCall } from './client.ts';

/** A request before it is written. */
export interface RefreshDraft extends RefreshCall {
  /** `POST` where absent. */
  readonly method?: string;
  /** Content-Type; that of the form where absent, left out where empty. */
  readonly contentType?: string;
  /** More header lines, as they stand. */
  readonly lines?: readonly string[];
  /** Changes the written form. */
  readonly edit?: (body: Buffer) => Uint8Array;
  /** Content-Length of a body of which only the first bytes are sent. */
  readonly announcedBytes?: number;
}

/** The draft with other parts in its form; undefined leaves one out. */
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

/** Port of an address of a service. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Sends a draft over a new connection and gives the one answer. */
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

/** Header lines that every answer of the public listener has, whatever it says. */
const COMMON = ['x-request-id', 'x-content-type-options', 'content-length', 'date', 'uwebsockets'];

/** The headers of an answer that belong to what it says, by name; `connection` left out, which belongs to the socket. */
export function ownHeaders(answer: RawResponse): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name] of answer.headers) {
    if (!COMMON.includes(name) && name !== 'connection') own[name] = headerOf(answer, name) ?? '';
  }
  return own;
}
