/** Calls from other loopback addresses, as if other machines made them. */
import { request } from 'node:http';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  /** Whole seconds of `Retry-After`; undefined if absent. */
  readonly retryAfterSeconds: number | undefined;
  readonly location: string | undefined;
  readonly text: string;
}

/** Sends a request from an address of 127.0.0.0/8 on a new connection; a body is sent as JSON. */
export function sendFrom(localAddress: string, method: string, url: string, body?: object): Promise<Answer> {
  const content = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      localAddress,
      agent: false,
      // the Location of an answer to a relying party contains its whole state
      maxHeaderSize: 131_072,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        'Content-Length': Buffer.byteLength(content),
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { 'retry-after': retryAfter, location } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
          location,
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.end(content);
  });
}

/** Returns distinct loopback addresses, without 127.0.0.1, from which all other clients of a test call. */
export function otherAddresses(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `127.0.${1 + Math.floor(index / 250)}.${2 + (index % 250)}`,
  );
}
