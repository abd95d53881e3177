import type { ShownState } from '../../pages.ts';
import { retryAfterSeconds } from '../retry-after.ts';

/** Status of a sign-in. */
export interface SignInStatus {
  readonly state: ShownState;
  readonly expiresInSeconds: number;
  /** Reason for the states `failed` and `refused`. */
  readonly code: string | null;
  /** The service's sentence about `code`. */
  readonly detail: string | null;
}

/** Result of one poll. */
export type StatusAnswer =
  | { readonly kind: 'status'; readonly status: SignInStatus }
  /** The service told the page to wait. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /** The sign-in is unknown or over; the reloaded page says why. */
  | { readonly kind: 'over' }
  /** No usable answer arrived. */
  | { readonly kind: 'unreachable' };

const TIMEOUT_MS = 15_000;
const STATES: ReadonlySet<unknown> = new Set<ShownState>([
  ...(['waiting', 'connected', 'verifying', 'completed', 'failed', 'refused', 'expired'] as const),
]);

/** Fetches the status of the sign-in. Never throws; failures are results. */
export async function readStatus(url: string): Promise<StatusAnswer> {
  try {
    const response = await fetch(url, {
      headers: { Accept: 'application/json' },
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 403) return { kind: 'over' };
    if (response.status === 429 || (response.status === 503 && response.headers.has('Retry-After'))) {
      return { kind: 'wait', seconds: retryAfterSeconds(response.headers) };
    }
    return response.status === 200 ? parseStatus(await response.json()) : { kind: 'unreachable' };
  } catch {
    return { kind: 'unreachable' };
  }
}

function parseStatus(body: unknown): StatusAnswer {
  const members = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { status, expires_in: expiresIn, code, detail } = members;
  if (!STATES.has(status) || typeof expiresIn !== 'number') return { kind: 'unreachable' };
  return {
    kind: 'status',
    status: {
      state: status as ShownState,
      expiresInSeconds: expiresIn,
      code: typeof code === 'string' ? code : null,
      detail: typeof detail === 'string' ? detail : null,
    },
  };
}
