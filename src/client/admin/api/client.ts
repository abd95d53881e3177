import { requestOf } from '../../../operations/request.ts';
import type { AdminApi } from '../../../operations/table.ts';
import { Problem, type ProblemBody } from './problem.ts';

const BASE = '/admin/v1';

/** Input of an operation, by its method and path. */
export type InputOf<Place extends keyof AdminApi> = AdminApi[Place]['input'];

/** A page of a list. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** Null on the last page; absent for a list without pages. */
  readonly next_cursor?: string | null;
}

/** Parameters of a query; undefined and empty ones are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Options of a change. */
export interface ChangeOptions {
  readonly body?: unknown;
  readonly query?: Query;
  /** Version of the object that is changed. */
  readonly version?: number | undefined;
}

/** Options of a call of an operation. */
export interface CallOptions {
  /** Version of the object that is changed. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

/** Calls of the admin API with the token of the tab. All reject with a `Problem`. */
export interface AdminClient {
  /** Calls an operation, whose definition says where each member of the input is sent and which types it has. */
  call<Place extends keyof AdminApi>(
    place: Place,
    input: InputOf<Place>,
    options?: CallOptions,
  ): Promise<AdminApi[Place]['output']>;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, options?: ChangeOptions): Promise<T>;
  patch<T>(path: string, options?: ChangeOptions): Promise<T>;
  remove(path: string, options?: ChangeOptions): Promise<void>;
  /** Reads the metrics in the Prometheus text format; undefined if they are not served. */
  metrics(signal: AbortSignal): Promise<string | undefined>;
}

/** Settings of a client. */
export interface ClientParts {
  readonly token: string;
  /** Called when the service no longer accepts the token. */
  readonly onRefused: () => void;
}

/** Creates a client for a token. */
export function createClient({ token, onRefused }: ClientParts): AdminClient {
  async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const headers = { Authorization: `Bearer ${token}`, ...init.headers };
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit' });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Problem(0);
    }
    if (response.status === 401) onRefused();
    return response;
  }

  /** Keys of creations whose answer was lost: the same creation again is the same request, not another object. */
  const keys = new Map<string, string>();

  async function call<T>(method: string, path: string, options: ChangeOptions, signal?: AbortSignal) {
    const { body, query, version } = options;
    const creation = method === 'POST' ? `${path} ${JSON.stringify(body)}` : undefined;
    const key = creation === undefined ? undefined : (keys.get(creation) ?? randomKey());
    if (creation !== undefined && key !== undefined) keys.set(creation, key);
    const response = await send(`${BASE}${path}${queryText(query)}`, {
      method,
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(version === undefined ? {} : { 'If-Match': `"${version}"` }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
    });
    if (creation !== undefined) keys.delete(creation);
    if (!response.ok) throw new Problem(response.status, await bodyOf(response));
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  return {
    call: async <Place extends keyof AdminApi>(
      place: Place,
      input: InputOf<Place>,
      { version, signal }: CallOptions = {},
    ) => {
      const { method, target, body } = requestOf(place, input);
      return await call<AdminApi[Place]['output']>(method, target, { body, version }, signal);
    },
    get: (path, query = {}, signal) => call('GET', path, { query }, signal),
    post: (path, options = {}) => call('POST', path, options),
    patch: (path, options = {}) => call('PATCH', path, options),
    remove: (path, options = {}) => call('DELETE', path, options),
    async metrics(signal) {
      const response = await send('/metrics', { signal });
      return response.ok ? await response.text() : undefined;
    },
  };
}

/** Returns a query with its `?`; empty if it has no parameter. */
export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Not `crypto.randomUUID`, which pages without TLS lack. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function bodyOf(response: Response): Promise<ProblemBody> {
  try {
    return (await response.json()) as ProblemBody;
  } catch {
    return {};
  }
}
