/** An HTTP proxy on a real socket, which alone knows the addresses of names. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestCertificate } from './certificate.ts';

/** How a proxy answers. */
export interface ProxyOptions {
  /** Ports of this machine by `host:port`; others are answered 502. */
  readonly names?: Readonly<Record<string, number>>;
  /** `user:password` that it wants. */
  readonly credentials?: string;
  /** Status of every answer. */
  readonly status?: number;
  readonly tls?: TestCertificate;
  /** Whether it accepts connections and answers nothing. */
  readonly isSilent?: boolean;
}

/** An open proxy. */
export interface TestProxy {
  readonly port: number;
  /** Method and target of each request, in order. */
  readonly seen: string[];
  /** Number of connections that are open. */
  connections(): number;
}

/** Opens a proxy on a free loopback port until the test ends. */
export async function openProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const { names = {}, credentials, status, tls, isSilent = false } = options;
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const refusalOf = ({ headers }: IncomingMessage): number | undefined => {
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    return wanted !== undefined && headers['proxy-authorization'] !== wanted ? 407 : status;
  };
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.url}`);
    const refusal = refusalOf(request);
    const { host, pathname, search } = new URL(request.url ?? '');
    const port = names[host.includes(':') ? host : `${host}:80`];
    if (isSilent) return;
    if (refusal !== undefined || port === undefined) {
      response.writeHead(refusal ?? 502).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = { port, method: request.method, path: pathname + search, headers } as const;
    request.pipe(
      requestPlain(onward, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  };
  const server: Server =
    tls === undefined ? createServer(forward) : (createTlsServer(tls, forward) as unknown as Server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    if (isSilent) {
      // Else its end is not noticed, or leaves it half open.
      socket.resume().on('end', () => socket.destroy());
      return;
    }
    const refusal = refusalOf(request);
    const port = names[request.url ?? ''];
    if (refusal !== undefined || port === undefined) {
      socket.end(`HTTP/1.1 ${refusal ?? 502} Refused\r\n\r\n`);
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy()).on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen, connections: () => sockets.size };
}
