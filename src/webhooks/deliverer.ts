import type { WebhooksConfig } from '../config/settings/types.ts';
import { repeatedly, retryDelayMs } from '../delivery.ts';
import type { Log } from '../observability/log/log.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import type { UsageSample } from '../observability/usage.ts';
import type { NewEvent, OutboxRow, OutboxStore } from '../storage/outbox.ts';
import { receiverOf, sendEvent } from './send.ts';

const MINUTE_MS = 60_000;

/** Number of refusals of one code in the current minute. */
export interface CodeCount {
  readonly code: string;
  readonly count: number;
}

/** Counts the refusals of a process by code and minute. */
export class RefusalWatch {
  readonly #threshold: number;
  #minute = 0;
  #counts = new Map<string, number>();

  /** @param threshold - Refusals of a code in a minute; 0 is off. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /**
   * Adds counts; returns the counts of those of their codes that have reached the threshold in this minute.
   *
   * @param now - Milliseconds since the epoch.
   */
  count(refusals: UsageSample['refusals'], now: number): CodeCount[] {
    if (this.#threshold === 0) return [];
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    for (const { code, amount } of refusals) {
      this.#counts.set(code, (this.#counts.get(code) ?? 0) + amount);
    }
    const codes = new Set(refusals.map(({ code }) => code));
    return [...codes].flatMap((code) => {
      const count = this.#counts.get(code) ?? 0;
      return count >= this.#threshold ? [{ code, count }] : [];
    });
  }
}

/** The webhooks of a process. */
export interface Webhooks {
  /** Reports that a source of roots is stale; at most one event for a source and hour, over all nodes. */
  reportStaleSource(source: string, lagSeconds: number): Promise<void>;
  /**
   * Counts refusals and reports codes that have reached the threshold; at most one event for a code and hour, over all
   * nodes.
   */
  countRefusals(refusals: UsageSample['refusals']): Promise<void>;
  /** Sends due events; resolves when each attempt has ended. @throws ServiceError `store.unreachable` */
  deliverDue(): Promise<void>;
  /** Begins to send due events once a second. */
  start(): void;
  /** Aborts running attempts; they are repeated later by this or another node. */
  stop(): Promise<void>;
}

/** Dependencies of `createWebhooks`. */
export interface WebhooksParts {
  /** Read for each event: the secrets may change. */
  readonly config: WebhooksConfig;
  readonly outbox: OutboxStore;
  readonly log: Pick<Log, 'warn' | 'error' | 'repeated'>;
  readonly metrics: Pick<Metrics, 'webhooksTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a number from 0 to 1, for the jitter; default: `Math.random`. */
  readonly random?: () => number;
}

const HOUR_MS = 3_600_000;
/** Maximum number of concurrent attempts. */
const MAX_CONCURRENT_ATTEMPTS = 8;
/** Margin of the lease beyond the time limit of an attempt, to write the outcome. */
const LEASE_MARGIN_MS = 30_000;
/** Delays after each failed attempt except the last; about 10 hours in total. */
const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  30_000,
  120_000,
  600_000,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
];

/** Creates the webhooks of a process; undefined while they are off. */
export function createWebhooks(parts: WebhooksParts): Webhooks | undefined {
  const { config, outbox, log, metrics, now, random = Math.random } = parts;
  const receiver = receiverOf(config);
  if (receiver === undefined) return undefined;
  const refusals = new RefusalWatch(config.refusalsPerMinute);
  const reportedIn = new Map<string, number>();

  const logFailure = (err: unknown): void =>
    log.repeated('webhooks', 'the outbox cannot be used', { event: 'webhook.outbox_failed', err });

  /** Adds an event unless this process or another one did so within the hour. */
  const reportOnce = async (subject: string, { type, data }: NewEvent): Promise<void> => {
    const at = now();
    const hour = Math.floor(at / HOUR_MS);
    const dedupeKey = `${type}:${subject}`;
    if (reportedIn.get(dedupeKey) === hour) return;
    reportedIn.set(dedupeKey, hour);
    try {
      await outbox.add({ type, data, dedupeKey: `${dedupeKey}:${hour}` }, at);
    } catch (error) {
      reportedIn.delete(dedupeKey);
      logFailure(error);
    }
  };

  const attempt = async (row: OutboxRow): Promise<void> => {
    const outcome = await sendEvent(receiverOf(parts.config) ?? receiver, row, now(), deliveries.signal);
    // The lease expires, and the event is due again.
    if (outcome.kind === 'stopped') return;
    if (outcome.kind === 'delivered') {
      metrics.webhooksTotal.inc({ result: 'delivered' });
      await outbox.delivered(row.id, now());
      return;
    }
    const delay = outcome.isFinal ? undefined : retryDelayMs(RETRY_DELAYS_MS, row.attempts, random);
    const fields = { target: row.id, count: row.attempts, reason: outcome.reason };
    if (delay === undefined) {
      metrics.webhooksTotal.inc({ result: 'dead' });
      await outbox.failed(row, outcome.reason, undefined, now());
      log.error(`${row.type} is a dead letter`, { event: 'webhook.dead', ...fields });
      return;
    }
    metrics.webhooksTotal.inc({ result: 'failed' });
    await outbox.failed(row, outcome.reason, now() + delay, now());
    log.warn(`${row.type} was not received and will be sent again`, { event: 'webhook.failed', ...fields });
  };

  const deliverDue = async (): Promise<void> => {
    while (!deliveries.signal.aborted) {
      const at = now();
      const rows = await outbox.take(at, at + receiver.timeoutMs + LEASE_MARGIN_MS, MAX_CONCURRENT_ATTEMPTS);
      const attempts = await Promise.allSettled(rows.map(attempt));
      const fault = attempts.find((result) => result.status === 'rejected');
      if (fault !== undefined) throw fault.reason;
      if (rows.length < MAX_CONCURRENT_ATTEMPTS) return;
    }
  };

  const deliveries = repeatedly(deliverDue, logFailure);

  return {
    reportStaleSource: (source, lagSeconds) =>
      reportOnce(source, { type: 'root_source.stale', data: { source, lag_seconds: lagSeconds } }),
    countRefusals: async (counted) => {
      for (const { code, count } of refusals.count(counted, now())) {
        const data = { code, count, per_minute: config.refusalsPerMinute };
        await reportOnce(code, { type: 'refusals.above_threshold', data });
      }
    },
    deliverDue,
    start: deliveries.start,
    stop: deliveries.stop,
  };
}
