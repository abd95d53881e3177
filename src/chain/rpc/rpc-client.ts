import { setMaxListeners } from 'node:events';
import { operatorHost } from '../../addresses.ts';
import { isObject, parseJson } from '../../json.ts';
import { CallFailure, callOut, type OutgoingAnswer } from '../../outgoing.ts';
import { classifyError, classifyStatus, type RpcErrorObject, RpcFailure } from './rpc-failure.ts';

/** Limits of one call. */
export interface RpcLimits {
  /** Time limit for connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  /** Largest answer in bytes, after decompression. */
  readonly maxResponseBytes: number;
}

/** Sends JSON-RPC calls to one provider. */
export interface RpcClient {
  /** Host and port, for logs; the rest of the URL may contain an API key. */
  readonly host: string;
  /** Host without port; identifies the operator of the provider. */
  readonly hostname: string;
  /**
   * Sends one call; returns its `result` as parsed.
   *
   * @throws RpcFailure for anything but a well-formed result; the reason of the signal once it is aborted
   */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

const MAX_PAUSE_MS = 300_000;
/** Shorter parts of a URL, such as a version, are not secrets. */
const MIN_SECRET_CHARACTERS = 6;

/**
 * Creates a client of a provider over HTTP (JSON-RPC 2.0). One call is one request, and credentials of the URL are sent
 * as `Authorization: Basic`.
 *
 * @param url - http or https URL.
 * @param signal - Cancels running calls when the service stops.
 */
export function createRpcClient(url: string, limits: RpcLimits, signal?: AbortSignal): RpcClient {
  const { address, headers, host, hostname } = splitUrl(url);
  const secrets = secretsOf(url);
  let lastId = 0;
  // Each running call adds a listener.
  if (signal !== undefined) setMaxListeners(0, signal);

  async function send(body: string): Promise<OutgoingAnswer & { bytes: Uint8Array }> {
    signal?.throwIfAborted();
    const { timeoutMs, maxResponseBytes: maxBytes } = limits;
    const call = { url: address, reach: 'any', method: 'POST', headers, body, timeoutMs, maxBytes } as const;
    const { bytes, ...head } = await callOut({ ...call, stop: signal }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      const reason = cause instanceof CallFailure ? cause.message : 'the connection failed';
      throw new RpcFailure('unreachable', reason, {}, { cause });
    });
    if (bytes !== undefined) return { ...head, bytes };
    throw new RpcFailure('bad_response', `the answer is longer than ${maxBytes} bytes`);
  }

  return {
    host,
    hostname,
    async call(method, params) {
      const id = ++lastId;
      const { status, headers, bytes } = await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const context = { method, status, retryAfterMs: pauseOf(headers) };
      const answer = parseAnswer(bytes, id);
      if (answer !== undefined && 'error' in answer) {
        // The message is logged and shown, so secrets are removed.
        const { message } = answer.error;
        const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
        throw classifyError({ ...answer.error, message: hidden }, context);
      }
      if (answer === undefined || status !== 200) throw classifyStatus(context);
      return answer.result;
    },
  };
}

function splitUrl(
  text: string,
): Pick<RpcClient, 'host' | 'hostname'> & { address: string; headers: Record<string, string> } {
  const url = new URL(text);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  // A host name may end with a dot.
  return { address: url.href, headers, host: url.host, hostname: operatorHost(url) };
}

/** Returns the parts of a URL that may be API keys, which a provider may repeat in its messages; longer ones first. */
function secretsOf(text: string): string[] {
  const { pathname, search, searchParams, username, password } = new URL(text);
  const written = search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1));
  const parts = [...pathname.split('/'), ...written, ...searchParams.values(), username, password];
  const decoded = parts.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return [...new Set([...parts, ...decoded])]
    .filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
    .sort((one, other) => other.length - one.length);
}

/** Returns the result or the error of a JSON-RPC response; undefined for anything else. */
function parseAnswer(
  bytes: Uint8Array,
  id: number,
): { result: unknown } | { error: RpcErrorObject } | undefined {
  let answer: unknown;
  try {
    answer = parseJson(bytes);
  } catch {
    return undefined;
  }
  if (!isObject(answer) || answer.jsonrpc !== '2.0' || 'result' in answer === 'error' in answer)
    return undefined;
  if ('result' in answer) return answer.id === id ? { result: answer.result } : undefined;
  const { error } = answer;
  // A provider that refuses a request before reading it does not know the id.
  if (answer.id !== id && answer.id !== null) return undefined;
  if (!isObject(error) || typeof error.code !== 'number' || typeof error.message !== 'string')
    return undefined;
  return { error: { code: error.code, message: error.message, data: error.data } };
}

/** Returns the pause of the header `Retry-After`, given in seconds or as a date. */
function pauseOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_PAUSE_MS) : undefined;
}
