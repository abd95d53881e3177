import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/service-error.ts';
import type { Bytes32 } from '../storage/values.ts';

/** Maximum number of active keys of an orb (spec/refresh.md#orb-keys). */
export const MAX_ACTIVE_ORB_KEYS = 16;

/** A refresh request without HTTP. */
export interface RefreshRequest {
  /** Raw query without `?`. */
  readonly query: string;
  /** The header Content-Type: `multipart/form-data`, with its boundary. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The header `x-zkp-proof`; undefined if it is missing or was sent more than once. */
  readonly proofHeader: string | undefined;
  /** Client address as used for rate limits (IPv6: its /64). */
  readonly addressKey: string;
  /** Fires when the client no longer waits for the response. */
  readonly signal: Pick<AbortSignal, 'aborted'>;
}

/** Facts about a refresh for the request log (spec/refresh.md#log-line); durations in milliseconds. */
export interface RefreshFacts {
  withPackage?: boolean;
  proofMs?: number;
  signMs?: number;
  commitMs?: number;
}

/** Outcome of a refresh. */
export type RefreshOutcome =
  | {
      readonly ok: true;
      /** Standard base64 of the credential's JSON. */
      readonly credential: string;
      readonly facts: Readonly<RefreshFacts>;
    }
  | { readonly ok: false; readonly error: unknown; readonly facts: Readonly<RefreshFacts> };

/** The holder who requests a credential. Both values are 32 bytes, big-endian, above 0 and below r. */
export interface Holder {
  readonly idComm: Bytes32;
  readonly sub: Bytes32;
}

/** A public key of this issuer in the list of `GET /api/v1/issuer-keys`. */
export interface ListedIssuerKey {
  /** A u64 in decimal; written as a JSON integer without conversion to a double. */
  readonly issuerSchemaId: string;
  /** Affine coordinates, decimal. */
  readonly pk: readonly [x: string, y: string];
  readonly status: 'active' | 'retired' | 'revoked';
}

/** The refresh interface without HTTP. */
export interface Refresh {
  /**
   * Runs check 1 (spec/refresh.md#order-of-checks).
   *
   * @throws ServiceError `refresh.disabled`, `store.unreachable`
   */
  checkEnabled(): Promise<void>;
  /** Runs checks 4 to 14. Never rejects. */
  refresh(request: RefreshRequest): Promise<RefreshOutcome>;
  /**
   * Issues a challenge, in freshness mode.
   *
   * @returns `challenge` as `0x` and 64 hex digits, `expiresAt` in Unix seconds.
   * @throws ServiceError `http.not_found` while the mode is off, `http.rate_limited`, `store.unreachable`
   */
  challenge(addressKey: string): Promise<{ readonly challenge: string; readonly expiresAt: number }>;
  /** Lists the issuer's keys: the active one first, then by time of registration, the newest first. */
  issuerKeys(): Promise<readonly ListedIssuerKey[]>;
}

const MAX_REMEMBERED = 10_000;

/**
 * Creates the refusal of a holder whose window is full. It is marked as a repetition if the holder was
 * already refused until the same time, so that the log has one line per holder and window
 * (spec/operations.md#refusals-in-the-log).
 *
 * @param retryAt - When one more credential is allowed, in milliseconds since the epoch.
 */
export type LimitedRefusal = (idComm: Bytes32, retryAt: number, now: number) => ServiceError;

/** Creates refusals with a memory of the last 10,000 refused holders. */
export function createLimitedRefusal(): LimitedRefusal {
  const refused = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return (idComm, retryAt, now) => {
    const key = Buffer.from(idComm).toString('hex');
    const isFirstRefusal = refused.get(key) !== retryAt;
    refused.set(key, retryAt);
    const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
    return new ServiceError('refresh.limited', undefined, { retryAfterSeconds, isFirstRefusal });
  };
}

/** Durations in the log line of a refresh. */
export type Duration = 'proofMs' | 'signMs' | 'commitMs';

/** Adds the run time of `run`, even if it fails, to a duration of the request. */
export type Measure = <T>(duration: Duration, run: () => Promise<T>) => Promise<T>;

/** Creates a measure that writes to the facts of one request, in milliseconds rounded to the microsecond. */
export function measureInto(facts: RefreshFacts): Measure {
  return async (duration, run) => {
    const startedAt = performance.now();
    try {
      return await run();
    } finally {
      const total = (facts[duration] ?? 0) + performance.now() - startedAt;
      facts[duration] = Math.round(total * 1000) / 1000;
    }
  };
}
