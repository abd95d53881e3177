import { type LookupAddress, lookup } from 'node:dns';
import {
  type IncomingMessage,
  Agent as PlainAgent,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { blockedPortOf, isLocalAddress, isLocalHost } from './addresses.ts';
import { collectBytes } from './bytes.ts';
import { type EgressProxy, proxyOf } from './egress-proxies.ts';
import { ProxyFailure, proxyAgent, refused, unreachable } from './proxy-agent.ts';
import { VERSION } from './version.ts';

/**
 * Addresses that a call may reach. `any`: the operator chose the address, by a setting or a command; it may be an
 * address of this machine. `remote`: only https, and no address of this machine or its link (`isLocalAddress`), also
 * after name resolution.
 */
export type Reach = 'any' | 'remote';

/** A request to another system. */
export interface OutgoingCall {
  readonly url: string;
  readonly reach: Reach;
  /** GET if absent. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time limit for connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  /** Maximum size of the body of the answer, after decompression; 0: the body is not read. */
  readonly maxBytes: number;
  /** Aborts the call. */
  readonly stop?: AbortSignal | undefined;
  /**
   * Whether the call is to a listener of this service, on this machine: any certificate is accepted, since it is for the
   * public name, and no proxy is used, whatever the address.
   */
  readonly isOwnListener?: boolean;
}

/** Answer to a call. A redirect is an answer like any other: it is never followed. */
export interface OutgoingAnswer {
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly isOk: boolean;
  readonly headers: Headers;
  /** Body; undefined if it has more than `maxBytes`. */
  readonly bytes: Uint8Array | undefined;
}

/** Failure of a call without an answer. The message does not contain the address, which may include a secret. */
export class CallFailure extends Error {
  /**
   * `LATE`, `STOPPED`, `NOT_HTTPS`, `LOCAL_ADDRESS`, `BLOCKED_PORT`, `PROXY_UNREACHABLE`, `PROXY_REFUSED`, or a system
   * error code, such as ECONNREFUSED.
   */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const NO_BODY: readonly number[] = [204, 304];
// As the agents of Node, except that NODE_USE_ENV_PROXY turns those to proxies by rules of its own.
const KEPT = { keepAlive: true, scheduling: 'lifo', timeout: 5000 } as const;
const DIRECT = { 'http:': new PlainAgent(KEPT), 'https:': new TlsAgent(KEPT) };

/**
 * Sends a request. Every request that leaves the service goes through here, except tracing spans, which are sent by
 * their library through the same proxy: redirects are not followed, and time and size of the answer are limited.
 *
 * @throws CallFailure
 */
export async function callOut(call: OutgoingCall): Promise<OutgoingAnswer> {
  const { timeoutMs, stop } = call;
  return await withTimeLimit(timeoutMs, stop, async (limit) => {
    try {
      refuseTarget(call);
      return await readAnswer(await send(call, limit), call.maxBytes, limit);
    } catch (cause) {
      if (stop?.aborted === true) throw new CallFailure('STOPPED', 'the call was ended', { cause });
      if (limit.aborted) {
        const through = proxyOfCall(call)?.name;
        const way = through === undefined ? '' : ` through the proxy ${through}`;
        throw new CallFailure('LATE', `no answer${way} within ${timeoutMs} ms`, { cause });
      }
      throw failureOf(cause);
    }
  });
}

function refuseTarget({ url, reach }: OutgoingCall): void {
  const port = blockedPortOf(url);
  if (port !== undefined) throw new CallFailure('BLOCKED_PORT', `port ${port} is blocked`);
  if (reach === 'any') return;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:') throw new CallFailure('NOT_HTTPS', 'the address is not https');
  // A host name is checked when it is resolved, an address here.
  if (isLocalHost(hostname)) throw localAddress();
}

function proxyOfCall({ url, isOwnListener = false }: OutgoingCall): EgressProxy | undefined {
  return isOwnListener ? undefined : proxyOf(url);
}

/** Sends a request; resolves with the head of the answer. */
async function send(call: OutgoingCall, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, reach, method = 'GET', headers, body, isOwnListener = false } = call;
  const { protocol } = new URL(url);
  const proxy = proxyOfCall(call);
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method,
    signal,
    rejectUnauthorized: !isOwnListener,
    headers: { 'user-agent': `proofgate/${VERSION}`, 'accept-encoding': 'gzip', ...headers },
    agent: DIRECT[protocol as keyof typeof DIRECT],
    // A kept-alive connection would have been checked at an earlier time.
    ...(reach === 'remote' ? { agent: false, lookup: lookupRemote } : {}),
    ...(proxy === undefined ? {} : { agent: proxyAgent(proxy, protocol, () => signal) }),
  };
  const request = protocol === 'https:' ? requestTls : requestPlain;
  const attempt = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(url, options);
      sent.on('response', resolve);
      sent.on('error', (error) => reject(sent.reusedSocket ? new StaleConnection(error) : error));
      // All that is left of an answer that switches protocols (101): there is neither a response nor an error.
      sent.on('close', () => reject(new Error('closed without an answer')));
      sent.end(body);
    });
  for (;;) {
    try {
      const answer = await attempt();
      // Only a proxy asks so, and only where it reads the request.
      if (answer.statusCode !== 407 || proxy === undefined || protocol !== 'http:') return answer;
      answer.destroy();
      throw refused(proxy, 407);
    } catch (error) {
      const isOfProxy = proxy !== undefined && protocol === 'http:' && !(error instanceof ProxyFailure);
      if (isOfProxy && !signal.aborted) throw unreachable(proxy, error);
      if (!(error instanceof StaleConnection) || signal.aborted) throw error;
    }
  }
}

/** Failure of a kept-alive connection, possibly because the other side just closed it: the request is sent again. */
class StaleConnection extends Error {
  constructor(cause: Error) {
    super('a kept connection failed', { cause });
  }
}

/** Looks up a host like `dns.lookup`, but fails if any of its addresses is one of this machine or its link. */
const lookupRemote: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
    const [first] = addresses;
    if (error !== null || first === undefined) return done(error ?? localAddress(), []);
    if (addresses.some(({ address }) => isLocalAddress(address))) return done(localAddress(), []);
    if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

function localAddress(): CallFailure {
  return new CallFailure('LOCAL_ADDRESS', 'the address is one of this machine or its link');
}

async function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  limit: AbortSignal,
): Promise<OutgoingAnswer> {
  const { statusCode: status = 0, rawHeaders } = response;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const head = { status, isOk: status >= 200 && status <= 299, headers };
  if (maxBytes === 0) {
    response.on('error', () => undefined).destroy();
    return { ...head, bytes: undefined };
  }
  const body = NO_BODY.includes(status) ? response : decompressed(response);
  return { ...head, bytes: await collectBytes(addAbortSignal(limit, body), maxBytes) };
}

function decompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return response;
  // A failure of one stream ends the other and reaches its reader.
  if (encoding === 'gzip') return pipeline(response, createGunzip(), () => undefined);
  response.on('error', () => undefined).destroy();
  throw new CallFailure('CONTENT_ENCODING', 'the answer has an encoding that was not asked for');
}

function failureOf(cause: unknown): CallFailure {
  if (cause instanceof CallFailure) return cause;
  if (cause instanceof ProxyFailure) return new CallFailure(cause.code, cause.message, { cause });
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return new CallFailure(code, `no answer: ${code}`, { cause });
  return new CallFailure('CONNECTION', 'no answer: the connection failed', { cause });
}

/**
 * Runs a request with a signal that aborts after a time or together with `stop`.
 *
 * `AbortSignal.any` is not used: in Node 20 its listeners live as long as the source signal.
 */
async function withTimeLimit<T>(
  timeoutMs: number,
  stop: AbortSignal | undefined,
  run: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = (): void => limit.abort();
  const timer = setTimeout(end, timeoutMs);
  stop?.addEventListener('abort', end, { once: true });
  if (stop?.aborted === true) end();
  try {
    return await run(limit.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}
