import { fetchWithRetry } from '../retry-after.ts';

/** A call to the service and its answer, for display. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Lines of the request after the first. */
  readonly sent: readonly string[];
  readonly status: number;
  /** The header WWW-Authenticate, if any. */
  readonly challenge: string | undefined;
  readonly text: string;
  /** Members of the JSON object in the body; empty if the body is not one. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Error of a call without an answer: the service is unreachable or too slow. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const TIMEOUT_MS = 20_000;

/** Sends a GET without credentials. @throws NoAnswer */
export async function getJson(url: string): Promise<Call> {
  return await call('GET', url, [], {});
}

/** Posts a form. @throws NoAnswer */
export async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<Call> {
  const body = new URLSearchParams(fields);
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return await call('POST', url, lines, { body });
}

/** Sends a GET with an access token. @throws NoAnswer */
export async function getWithToken(url: string, accessToken: string): Promise<Call> {
  const authorization = `Bearer ${accessToken}`;
  return await call('GET', url, [`Authorization: ${authorization}`], { headers: { authorization } });
}

async function call(
  method: Call['method'],
  url: string,
  sent: readonly string[],
  init: RequestInit,
): Promise<Call> {
  let response: Response;
  let text: string;
  try {
    response = await fetchWithRetry(() =>
      fetch(url, {
        ...init,
        method,
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    text = await response.text();
  } catch (cause) {
    throw new NoAnswer(`${method} ${url}`, { cause });
  }
  return {
    method,
    url,
    sent,
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? undefined,
    text,
    body: objectOf(text),
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Such as the empty body of a revocation, or an error page of a proxy.
    return {};
  }
}
