import { isObject, parseJson } from '../../json.ts';
import { classifyError, classifyStatus, type RpcErrorObject } from './classify-error.ts';
import { RpcFailure } from './rpc-failure.ts';

/** Limits of one call. */
export interface RpcLimits {
  /** Time for connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  /** Largest answer in bytes, after decompression. */
  readonly maxResponseBytes: number;
}

/** Sends JSON-RPC calls to one provider. */
export interface RpcClient {
  /** Host and port, for logs; the rest of the URL may hold a key. */
  readonly host: string;
  /**
   * Sends one call; returns its `result` as parsed.
   *
   * @throws RpcFailure for everything but a well-formed result
   */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
}

const LONGEST_PAUSE_MS = 300_000;

/**
 * Creates a client of a provider over HTTP (JSON-RPC 2.0). One call is one request, redirects are errors, and credentials
 * of the URL are sent as `Authorization: Basic`, because `fetch` refuses URLs that contain them.
 *
 * @param url - http or https URL.
 */
export function createRpcClient(url: string, { timeoutMs, maxResponseBytes }: RpcLimits): RpcClient {
  const { address, headers, host } = splitUrl(url);
  let lastId = 0;

  async function send(body: string): Promise<{ response: Response; bytes: Uint8Array }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(address, { method: 'POST', headers, body, redirect: 'error', signal });
      return { response, bytes: await readBounded(response, maxResponseBytes) };
    } catch (cause) {
      if (cause instanceof RpcFailure) throw cause;
      throw new RpcFailure('unreachable', reasonOf(cause, timeoutMs), {}, { cause });
    }
  }

  return {
    host,
    async call(method, params) {
      const id = ++lastId;
      const { response, bytes } = await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const retryAfterMs = pauseOf(response);
      const answer = parseAnswer(bytes, id);
      if (answer === undefined) {
        if (response.ok) throw new RpcFailure('bad_response', 'the answer is no JSON-RPC response');
        throw classifyStatus(response.status, retryAfterMs);
      }
      if ('error' in answer) throw classifyError(answer.error, response.status, retryAfterMs);
      if (!response.ok) throw classifyStatus(response.status, retryAfterMs);
      return answer.result;
    },
  };
}

function splitUrl(text: string): { address: string; headers: Record<string, string>; host: string } {
  const url = new URL(text);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { address: url.href, headers, host: url.host };
}

/** Reads a body as it arrives, so that one that is compressed well does not fill the memory. */
async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new RpcFailure('bad_response', `the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the result or the error of a JSON-RPC response; undefined for anything that is no such response. */
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
  // A provider that refuses a request before it reads it does not know the id.
  if (answer.id !== id && answer.id !== null) return undefined;
  if (!isObject(error) || typeof error.code !== 'number' || typeof error.message !== 'string')
    return undefined;
  return { error: { code: error.code, message: error.message, data: error.data } };
}

/** Returns the pause of the header `Retry-After`, given in seconds or as a date. */
function pauseOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : undefined;
}

function reasonOf(cause: unknown, timeoutMs: number): string {
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    return `no answer within ${timeoutMs} ms`;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : undefined;
  return code ?? 'the connection failed';
}
