/** Calls from other addresses of the loopback network, as if other machines made them. */
import { request } from 'node:http';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  /** Whole seconds of `Retry-After`; undefined without it. */
  readonly retryAfterSeconds: number | undefined;
  readonly location: string | undefined;
  readonly text: string;
}

/** Sends a request from an address of 127.0.0.0/8, on a connection of its own; a body goes as JSON. */
export function sendFrom(localAddress: string, method: string, url: string, body?: object): Promise<Answer> {
  const content = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      localAddress,
      agent: false,
      // an answer to a relying party has its whole state in Location
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

/** Numbered addresses, none of which is 127.0.0.1, where everybody else in a test is. */
export function otherAddresses(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `127.0.${1 + Math.floor(index / 250)}.${2 + (index % 250)}`,
  );
}
