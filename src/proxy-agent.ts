/** The way of an outgoing call through an HTTP proxy (RFC 9110 sections 7.1 and 9.3.6). */
import {
  type ClientRequest,
  Agent as PlainAgent,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { EgressProxy } from './egress-proxies.ts';

/** Failure of a proxy. The message names it without its credentials, and the target not at all. */
export class ProxyFailure extends Error {
  /** `PROXY_UNREACHABLE`: no connection, or one that ended; `PROXY_REFUSED`: an answer that is no success. */
  readonly code: 'PROXY_UNREACHABLE' | 'PROXY_REFUSED';
  /** Status of the answer of the proxy, if it gave one. */
  readonly status: number | undefined;

  constructor(code: ProxyFailure['code'], message: string, options: ErrorOptions & { status?: number }) {
    super(message, options);
    this.code = code;
    this.status = options.status;
  }
}

type OnConnection = Parameters<PlainAgent['createConnection']>[1];

/**
 * Returns the agent of one request through a proxy. Its connections are not kept.
 *
 * @param limit - Returns the signal that ends the attempt to open a connection.
 */
export function proxyAgent(
  proxy: EgressProxy,
  protocol: string,
  limit: () => AbortSignal,
): PlainAgent | TlsAgent {
  return protocol === 'https:' ? new TunnelAgent(proxy, limit) : new ForwardAgent(proxy);
}

/** Returns the failure of a connection to a proxy. */
export function unreachable({ name }: EgressProxy, cause: unknown): ProxyFailure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'the connection failed';
  return new ProxyFailure('PROXY_UNREACHABLE', `no answer from the proxy ${name}: ${code}`, { cause });
}

/** Returns the failure of a request that a proxy did not pass on. */
export function refused({ name }: EgressProxy, status: number): ProxyFailure {
  const reason = status === 407 ? ': it wants other credentials' : '';
  return new ProxyFailure('PROXY_REFUSED', `the proxy ${name} answered ${status}${reason}`, { status });
}

/**
 * Opens a connection to a target through a proxy, by CONNECT.
 *
 * @param target - Host and port; an IPv6 address in brackets.
 * @throws ProxyFailure, or the error of the signal
 */
export function openTunnel(proxy: EgressProxy, target: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = (proxy.isTls ? requestTls : requestPlain)({
      ...endpointOf(proxy),
      method: 'CONNECT',
      path: target,
      agent: false,
      signal,
      headers: {
        host: target,
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
      },
    });
    request.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        reject(refused(proxy, statusCode));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('error', (error) => reject(signal.aborted ? error : unreachable(proxy, error)));
    request.on('close', () => reject(unreachable(proxy, undefined)));
    request.end();
  });
}

/** Place of a proxy, and the name that its certificate must have: without it, Node takes that of the target. */
function endpointOf({ host, port }: EgressProxy): { host: string; port: number; servername: string } {
  return { host, port, servername: isIP(host) === 0 ? host : '' };
}

/** For https: the proxy passes bytes on, and TLS ends at the target. */
class TunnelAgent extends TlsAgent {
  readonly #proxy: EgressProxy;
  readonly #limit: () => AbortSignal;

  constructor(proxy: EgressProxy, limit: () => AbortSignal) {
    super();
    this.#proxy = proxy;
    this.#limit = limit;
  }

  override createConnection(options: RequestOptions, done?: OnConnection): undefined {
    const host = options.host ?? '';
    const target = `${host.includes(':') ? `[${host}]` : host}:${options.port ?? 443}`;
    openTunnel(this.#proxy, target, this.#limit()).then(
      (socket) => done?.(null, connectTls({ ...(options as ConnectionOptions), socket })),
      (error: Error) => done?.(error, undefined as never),
    );
  }
}

/** The method that Node calls for each request of an agent; its types do not declare it. */
interface AgentInternals {
  addRequest(request: ClientRequest, options: RequestOptions): void;
}

/** For http: the proxy reads the request, whose target is the whole address (RFC 9112 section 3.2.2). */
class ForwardAgent extends PlainAgent {
  readonly #proxy: EgressProxy;

  constructor(proxy: EgressProxy) {
    super();
    this.#proxy = proxy;
  }

  addRequest(request: ClientRequest, options: RequestOptions): void {
    const { authorization } = this.#proxy;
    request.path = `http://${request.getHeader('host')}${request.path}`;
    if (authorization !== undefined) request.setHeader('proxy-authorization', authorization);
    (PlainAgent.prototype as unknown as AgentInternals).addRequest.call(this, request, options);
  }

  override createConnection(): Socket {
    return this.#proxy.isTls ? connectTls(endpointOf(this.#proxy)) : connect(endpointOf(this.#proxy));
  }
}
