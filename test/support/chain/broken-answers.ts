/** Answers over HTTP that a client must refuse, with bounded time and memory. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { BrokenAnswer } from './fake-provider.ts';

/** Answers with a status, a body and headers. */
export function raw(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): BrokenAnswer {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Answers with a JSON value made from the id of the call. */
export function json(make: (id: number) => unknown, status = 200): BrokenAnswer {
  return (response, { id }) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(make(id)));
  };
}

/** Takes the request and never answers. */
export const hang: BrokenAnswer = () => undefined;

/** Closes the connection without an answer. */
export const hangUp: BrokenAnswer = (response) => {
  response.destroy();
};

/** Sends the head and the beginning of a body that never ends. */
export const slowBody: BrokenAnswer = (response, { id }) => {
  response.writeHead(200).write(`{"jsonrpc":"2.0","id":${id},`);
};

/** Sends spaces for as long as they are read. */
export const endlessBody: BrokenAnswer = (response) => {
  const spaces = Buffer.alloc(65_536, ' ');
  const send = (): void => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on('drain', send);
  send();
};

/** Sends a small body that decompresses to many bytes. */
export function gzipBomb(bytes: number): BrokenAnswer {
  return (response, { id }) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    const gzip = createGzip();
    gzip.on('error', () => undefined).pipe(response);
    gzip.write(`{"jsonrpc":"2.0","id":${id},"result":"`);
    const part = Buffer.alloc(1_048_576, '0');
    for (let sent = 0; sent < bytes; sent += part.length) gzip.write(part);
    gzip.end('"}');
  };
}

/** Sends the same log many times, in thousands. */
export function manyLogs(count: number): BrokenAnswer {
  return (response, { id }) => {
    const log = JSON.stringify({
      address: `0x${'a'.repeat(40)}`,
      topics: [],
      data: '0x',
      blockNumber: '0x1',
    });
    const thousand = Array.from({ length: 1000 }, () => log).join();
    function* body(): Generator<string> {
      yield `{"jsonrpc":"2.0","id":${id},"result":[${thousand}`;
      for (let sent = 1000; sent < count; sent += 1000) yield `,${thousand}`;
      yield ']}';
    }
    // The client closes the connection before the end.
    Readable.from(body())
      .on('error', () => undefined)
      .pipe(response);
  };
}
