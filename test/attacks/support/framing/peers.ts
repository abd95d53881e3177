import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { renderSigninError } from '../../../../src/http/errors/signin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../../../src/http/exchange/exchange-types.ts';
import { createHttpServer } from '../../../../src/http/server.ts';
import { TEST_LIMITS } from '../../../support/test-limits.ts';
import type { Packets } from './request-stream.ts';

/** One request as a server parsed it. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** The first value of each name; names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes as Latin-1 text; undefined if the body was not read completely. */
  readonly body: string | undefined;
}

/** A request whose head was accepted. */
export interface TakenRequest {
  readonly method: string;
  /** Undefined if the request was refused later. */
  readonly seen: SeenRequest | undefined;
}

/** Requests and answers of one connection. */
export interface ConnectionLog {
  /** In the order in which their heads were accepted. */
  readonly requests: readonly TakenRequest[];
  /** All bytes of the answers, as Latin-1 text. */
  readonly wire: string;
}

/** A server that handles one connection at a time. */
export interface Peer {
  take(packets: Packets): Promise<ConnectionLog>;
  close(): void;
}

const BODY_LIMIT = 65_536;
const LARGE = 'l'.repeat(200_000);
/** Shorter than in production: no client of this test reads slowly. */
const LINGER_MS = 3;

/** Starts our HTTP adapter on a real socket. */
export async function openAdapter(library = TEST_LIMITS.library): Promise<Peer> {
  let requests: TakenRequest[] = [];
  let served: SeenRequest | undefined;
  const serve = (request: HttpRequest, body: string): HttpResponse => {
    const { method, path, query, headers } = request;
    const target = query === '' ? path : `${path}?${query}`;
    served = { method, target, headers, body: latin1(request.body) };
    return { status: 200, body };
  };
  const answers: Readonly<Record<string, Route['handler']>> = {
    '/now': (request) => serve(request, 'ok'),
    '/p/:id': (request) => serve(request, 'ok'),
    '/large': (request) => serve(request, LARGE),
    '/none': (request) => ({ ...serve(request, ''), status: 204 }),
    '/early': (request) => serve(request, 'ok'),
    '/later': async (request) => {
      const response = serve(request, 'later');
      await turn();
      return response;
    },
  };
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;
  const routes = Object.entries(answers).flatMap(([path, handler]) =>
    methods.map((method) => ({
      method,
      path,
      handler,
      head: method === 'GET',
      bodyLimitBytes: path === '/early' ? 4 : BODY_LIMIT,
      renderError: renderSigninError,
    })),
  );
  const server = await createHttpServer({
    listener: 'public',
    host: '127.0.0.1',
    port: 0,
    routes,
    fallbacks: [],
    renderUnknown: renderSigninError,
    baseUrl: 'http://localhost:8080',
    limits: { ...TEST_LIMITS, library, lingerMs: LINGER_MS },
    onEnd({ method }) {
      requests.push({ method, seen: served });
      served = undefined;
    },
  });
  return {
    async take(packets) {
      requests = [];
      const wire = await send(server.port, packets);
      while (server.openExchanges > 0) await turn();
      return { requests, wire };
    },
    close: () => server.closeAll(),
  };
}

/** Starts Node's own HTTP server, whose parser is llhttp. */
export async function openLlhttp(): Promise<Peer> {
  let requests: TakenRequest[] = [];
  const server = createServer({ insecureHTTPParser: false, maxHeaderSize: 65_536 });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const index = requests.length;
    const head: SeenRequest = {
      method: request.method ?? '',
      // our adapter does not distinguish an empty query from a missing one
      target: (request.url ?? '').replace(/\?$/, ''),
      headers: firstOfEach(request.rawHeaders),
      body: undefined,
    };
    requests.push({ method: head.method, seen: head });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const seen = { ...head, body: latin1(Buffer.concat(chunks)) };
      requests[index] = { method: head.method, seen };
      response.end('ok');
    });
  };
  server.on('request', onRequest).on('checkExpectation', onRequest);
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    onRequest(request, response);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async take(packets) {
      requests = [];
      const wire = await send(port, packets);
      return { requests, wire };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function firstOfEach(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    // our adapter decodes values as UTF-8
    const value = Buffer.from(raw[index + 1] ?? '', 'latin1').toString();
    const first = headers.get(name);
    if (first === undefined) headers.set(name, value);
    else if (name === 'cookie') headers.set(name, `${first}; ${value}`);
  }
  return headers;
}

/** Sends packets so that the server reads each separately, half-closes, and waits for the server to close. */
async function send(port: number, packets: Packets): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await Promise.race([once(socket, 'connect').catch(() => {}), closed]);
  for (const packet of packets) {
    if (socket.writableEnded) break;
    socket.write(Buffer.from(packet, 'latin1'));
    // a written packet is in the server's receive queue; two turns of the event loop read it
    await turn();
    await turn();
  }
  await turn();
  await turn();
  socket.end();
  await closed;
  return latin1(Buffer.concat(chunks));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
