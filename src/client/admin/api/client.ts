import { requestOf } from '../../../operations/request.ts';
import type { AdminApi } from '../../../operations/table.ts';
import { Problem, type ProblemBody } from './problem.ts';

const BASE = '/admin/v1';

/** Method and path of an operation. */
export type Place = keyof AdminApi;
/** Input of an operation, by its method and path. */
export type InputOf<P extends Place> = AdminApi[P]['input'];
/** Output of an operation, by its method and path. */
export type OutputOf<P extends Place> = AdminApi[P]['output'];
/** Item of a list, by the method and path of its operation. */
export type ItemOf<P extends Place> =
  OutputOf<P> extends { readonly items: readonly (infer T)[] } ? T : never;

/** Operations that return the items of a list. */
export type ListPlace = { [P in Place]: [ItemOf<P>] extends [never] ? never : P }[Place];
/** Operations that return the items of a list page by page. */
export type PagePlace = {
  [P in ListPlace]: OutputOf<P> extends { readonly next_cursor: string | null } ? P : never;
}[ListPlace];

/** Options of a call. */
export interface CallOptions {
  /** Version of the object that is changed. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

/** Calls of the admin API with the token of the tab. All reject with a `Problem`. */
export interface AdminClient {
  /** Calls an operation; its definition determines place and type of each member of the input. */
  call<P extends Place>(place: P, input: InputOf<P>, options?: CallOptions): Promise<OutputOf<P>>;
  /** Reads the metrics in the Prometheus text format; undefined if they are not served. */
  metrics(signal: AbortSignal): Promise<string | undefined>;
}

/** Converts a value of a form or an address to a member of an input; the service validates it. */
export function given<T>(value: unknown): T {
  return value as T;
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

  /**
   * Idempotency keys of creations whose answer was lost: a repeated creation is the same request, not another object.
   */
  const keys = new Map<string, string>();

  return {
    async call<P extends Place>(
      place: P,
      input: InputOf<P>,
      { version, signal }: CallOptions = {},
    ): Promise<OutputOf<P>> {
      const { method, target, body } = requestOf(place, input);
      const creation = method === 'POST' ? `${target} ${JSON.stringify(body)}` : undefined;
      const key = creation === undefined ? undefined : (keys.get(creation) ?? randomKey());
      if (creation !== undefined && key !== undefined) keys.set(creation, key);
      const response = await send(`${BASE}${target}`, {
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
      return (response.status === 204 ? undefined : await response.json()) as OutputOf<P>;
    },
    async metrics(signal) {
      const response = await send('/metrics', { signal });
      return response.ok ? await response.text() : undefined;
    },
  };
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
