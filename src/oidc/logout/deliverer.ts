import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clients } from '../../apps/clients.ts';
import { describeStatus, post, repeatedly, retryDelayMs } from '../../delivery.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { Reach } from '../../outgoing.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { LogoutNotice, LogoutNoticeStore } from '../../storage/signin/logout-notices.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';

/** Signs the logout token of a notice (OpenID Connect Back-Channel Logout 1.0, section 2.4), a compact JWS. */
export type SignLogoutToken = (notice: Pick<LogoutNotice, 'sid' | 'clientId' | 'sub'>) => Promise<string>;

/** Dependencies of `createLogoutTokens`. */
export interface LogoutTokensParts {
  readonly keys: Pick<SigningKeys, 'sign'>;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Each attempt signs a new token, so that the lifetime need only cover clock differences of a minute. */
const TOKEN_LIFETIME_SECONDS = 120;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Creates the signer of logout tokens (spec/sign-in.md#logout-token).
 *
 * @returns A function that throws ServiceError `signing_key.*`, `store.unreachable`
 */
export function createLogoutTokens({ keys, baseUrl, now }: LogoutTokensParts): SignLogoutToken {
  return ({ sid, clientId, sub }) => {
    const iat = Math.floor(now() / 1000);
    return keys.sign('logout+jwt', {
      iss: baseUrl,
      aud: clientId,
      iat,
      exp: iat + TOKEN_LIFETIME_SECONDS,
      // A session ends once, so its id yields an identifier that is the same for each attempt.
      jti: createHash('sha256').update(`logout:${sid}`).digest().subarray(0, 16).toString('base64url'),
      sub: toHex(sub),
      sid,
      events: { [LOGOUT_EVENT]: {} },
    });
  };
}

/** Delivers due logout notices. */
export interface LogoutDeliverer {
  /** Sends due notices; resolves when none is left. @throws ServiceError `store.unreachable` */
  deliverDue(): Promise<void>;
  /** Begins to send due notices once a second. */
  start(): void;
  /** Aborts running attempts; they are repeated later by this or another node. */
  stop(): Promise<void>;
}

/** Dependencies of `createLogoutDeliverer`. */
export interface LogoutDelivererParts {
  readonly notices: LogoutNoticeStore;
  readonly clients: Pick<Clients, 'find'>;
  readonly sign: SignLogoutToken;
  readonly log: Pick<Log, 'warn' | 'error' | 'repeated'>;
  readonly metrics: Pick<Metrics, 'logoutNoticesTotal'>;
  /** Reach of the addresses of apps. */
  readonly reach: Reach;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a number from 0 to 1, for the jitter; default: `Math.random`. */
  readonly random?: () => number;
  /** Time limit of an attempt, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Maximum number of concurrent attempts, each to another client. */
const MAX_CONCURRENT_ATTEMPTS = 8;
const TIMEOUT_MS = 5000;
/** Interval at which further due notices are looked up while attempts are running. */
const POLL_INTERVAL_MS = 1000;
/** Margin of the lease beyond the time limit of an attempt, to write the outcome. */
const LEASE_MARGIN_MS = 30_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Delays after each failed attempt except the last; about 22 hours in total. */
const RETRY_DELAYS_MS: readonly number[] = [
  5000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];
const RECEIVED: readonly number[] = [200, 204];
/**
 * The client refuses the token (OpenID Connect Back-Channel Logout 1.0, section 2.8); a retry would be refused again.
 */
const REFUSED = 400;

/** Creates the deliverer of logout notices (spec/sign-in.md#back-channel-logout). */
export function createLogoutDeliverer(parts: LogoutDelivererParts): LogoutDeliverer {
  const { notices, log, metrics, reach, now, random = Math.random, timeoutMs = TIMEOUT_MS } = parts;

  const logFailure = (err: unknown): void =>
    log.repeated('logout', 'notices of ended sessions cannot be sent', { event: 'logout.failed', err });

  const drop = async ({ sid, clientId, attempts }: LogoutNotice, reason: string): Promise<void> => {
    await notices.remove(sid);
    metrics.logoutNoticesTotal.inc({ result: 'dropped' });
    const fields = { event: 'logout.notice_dropped', clientId, count: attempts, reason };
    log.error('an app was not told that a session has ended', fields);
  };

  const attempt = async (notice: LogoutNotice): Promise<void> => {
    const { clientId, attempts } = notice;
    const client = await parts.clients.find(clientId);
    const url = client?.status === 'active' ? client.client.backchannelLogoutUri : null;
    if (url === null) return await drop(notice, 'the app has no backchannel_logout_uri');
    const body = new URLSearchParams({ logout_token: await parts.sign(notice) }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const outcome = await post({ url, reach, headers, body, timeoutMs }, deliveries.signal);
    // The lease expires, and the notice is due again.
    if (outcome.kind === 'stopped') return;
    if (outcome.kind === 'answered' && RECEIVED.includes(outcome.status)) {
      await notices.remove(notice.sid);
      metrics.logoutNoticesTotal.inc({ result: 'delivered' });
      return;
    }
    const isFinal = outcome.kind === 'answered' && outcome.status === REFUSED;
    const reason = outcome.kind === 'answered' ? describeStatus(outcome.status) : outcome.reason;
    const delayMs = isFinal ? undefined : retryDelayMs(RETRY_DELAYS_MS, attempts, random);
    if (delayMs === undefined) return await drop(notice, reason);
    await notices.failed(notice, now() + delayMs);
    metrics.logoutNoticesTotal.inc({ result: 'failed' });
    const fields = { event: 'logout.notice_failed', clientId, count: attempts, reason };
    log.warn('a notice of an ended session was not received and will be sent again', fields);
  };

  /** A slow receiver occupies one of the concurrent attempts only. */
  const deliverDue = async (): Promise<void> => {
    const running = new Set<Promise<void>>();
    for (;;) {
      const at = now();
      const free = deliveries.signal.aborted ? 0 : MAX_CONCURRENT_ATTEMPTS - running.size;
      const taken = free === 0 ? [] : await notices.take(at, at + timeoutMs + LEASE_MARGIN_MS, free);
      for (const notice of taken) {
        const work = attempt(notice)
          .catch(logFailure)
          .finally(() => running.delete(work));
        running.add(work);
      }
      if (running.size === 0) return;
      const look = new AbortController();
      await Promise.race([
        ...running,
        delay(POLL_INTERVAL_MS, undefined, { ref: false, signal: look.signal }),
      ]);
      look.abort();
    }
  };

  const deliveries = repeatedly(deliverDue, logFailure);
  return { deliverDue, start: deliveries.start, stop: deliveries.stop };
}
