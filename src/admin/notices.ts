import type { Config } from '../config/settings/types.ts';
import type { EngineStats } from '../engine/engine.ts';
import type { HealthReport } from '../observability/health.ts';
import type { StoreHealth } from '../storage/drivers/driver.ts';
import type { OutboxCounts } from '../storage/outbox.ts';
import { REPORTED_AFTER_MS } from '../webhooks/operate.ts';

/** A condition to report to operators, in plain language. */
export interface AdminNotice {
  readonly level: 'error' | 'warning' | 'info';
  /** Stable name of the condition. */
  readonly code: string;
  readonly text: string;
  readonly cure: string;
}

/** Sign-in key with the members that a notice needs. */
interface KeyDates {
  readonly kid: string;
  readonly state: string;
  readonly changes_at: string | null;
}

/** Facts from which notices follow. */
export interface NoticeFacts {
  readonly config: Config;
  readonly health: HealthReport;
  readonly engine: EngineStats;
  readonly store: StoreHealth;
  /** Sign-in keys for display. */
  readonly keys: readonly KeyDates[];
  /** Events that were not received; undefined while webhooks are off. */
  readonly webhooks: OutboxCounts | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const DAY_MS = 86_400_000;

/** Returns the notices that follow from facts, the most urgent first. */
export function noticesOf(facts: NoticeFacts): AdminNotice[] {
  const found = [
    ...readinessNotices(facts.health),
    ...storeNotices(facts.store),
    ...engineNotices(facts.engine, facts.config),
    ...keyNotices(facts.keys, facts.now),
    ...webhookNotices(facts.webhooks, facts.now),
    ...profileNotices(facts.config),
  ];
  const order = ['error', 'warning', 'info'];
  return found.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
}

function readinessNotices({ checks, draining }: HealthReport): AdminNotice[] {
  const failing = Object.entries(checks).filter(([, { status }]) => status === 'failed');
  const notices: AdminNotice[] = failing.map(([name, { detail }]) => ({
    level: 'error',
    code: `not_ready.${name}`,
    text: `This node is not ready, since the check "${name}" fails: ${String(detail ?? 'no reason given')}.`,
    cure: 'Run `proofgate doctor` on this machine.',
  }));
  if (draining) {
    notices.push({
      level: 'info',
      code: 'draining',
      text: 'This node is stopping and takes no new requests.',
      cure: 'None is needed if you stopped it.',
    });
  }
  if (checks.roots?.status === 'stale') {
    notices.push({
      level: 'error',
      code: 'roots.stale',
      text: 'A source of roots is stale: proofs over new roots are refused.',
      cure: 'See Roots for the source and its last error, and run `proofgate roots sources check`.',
    });
  }
  return notices;
}

function storeNotices({ durability }: StoreHealth): AdminNotice[] {
  const notices: AdminNotice[] = durability.faults.map((fault) => ({
    level: 'error',
    code: 'store.durability',
    text: `The store may lose acknowledged writes: ${fault}.`,
    cure: 'Correct the setting of the database and restart the service.',
  }));
  const { failover } = durability;
  if (failover !== undefined && !failover.isSafe) {
    notices.push({
      level: 'warning',
      code: 'store.failover',
      text: `About a failover of the database: ${failover.text}.`,
      cure: 'Make a standby synchronous, or accept the loss.',
    });
  }
  return notices;
}

function engineNotices(
  { backend, workers, readyWorkers, workerRestarts, reason }: EngineStats,
  { engine }: Pick<Config, 'engine'>,
): AdminNotice[] {
  const notices: AdminNotice[] = [];
  if (readyWorkers < workers) {
    notices.push({
      level: 'warning',
      code: 'engine.workers_missing',
      text: `${readyWorkers} of ${workers} workers are ready.`,
      cure: 'A worker that ended is replaced within seconds; if this stays, see the log for engine.worker_lost.',
    });
  }
  if (workerRestarts > 0) {
    notices.push({
      level: 'warning',
      code: 'engine.workers_replaced',
      text: `${workerRestarts} worker${workerRestarts === 1 ? ' has' : 's have'} ended unexpectedly since the start.`,
      cure: 'See the log for engine.worker_lost and engine.poisoned.',
    });
  }
  if (backend === 'wasm' && engine.backend === 'auto') {
    notices.push({
      level: 'warning',
      code: 'engine.wasm',
      text: `Proofs are verified by WebAssembly: ${reason}.`,
      cure: 'Install Rust and run `npm run setup`, or use the image, which has the native addon.',
    });
  }
  return notices;
}

function keyNotices(keys: readonly KeyDates[], now: number): AdminNotice[] {
  const notices: AdminNotice[] = [];
  const overdue = keys.find(
    ({ state, changes_at }) =>
      state === 'active' && changes_at !== null && Date.parse(changes_at) < now - DAY_MS,
  );
  if (overdue !== undefined) {
    notices.push({
      level: 'warning',
      code: 'keys.rotation_overdue',
      text: `The signing key ${overdue.kid} should have been rotated on ${overdue.changes_at}.`,
      cure: 'See the log for faults of the rotation, and run `proofgate keys rotate`.',
    });
  }
  return notices;
}

function webhookNotices(counts: OutboxCounts | undefined, now: number): AdminNotice[] {
  if (counts === undefined) return [];
  const { dead, oldestPendingAt } = counts;
  const notices: AdminNotice[] = [];
  if (dead > 0) {
    notices.push({
      level: 'warning',
      code: 'webhooks.dead',
      text: `The receiver of webhooks did not get ${dead} event${dead === 1 ? '' : 's'}, which will not be sent again without you.`,
      cure: 'See Webhooks for the reason, mend the receiver, and send the events again there or by `proofgate webhooks resend`.',
    });
  }
  if (oldestPendingAt !== null && now - oldestPendingAt > REPORTED_AFTER_MS) {
    notices.push({
      level: 'warning',
      code: 'webhooks.late',
      text: 'An event has waited for more than an hour, since the receiver of webhooks does not take it.',
      cure: 'See Webhooks for the reason of the last failure, and mend the receiver; the event is then sent by itself.',
    });
  }
  return notices;
}

function profileNotices({ profile }: Pick<Config, 'profile'>): AdminNotice[] {
  if (profile === 'production') return [];
  return [
    {
      level: 'info',
      code: 'profile.development',
      text: `This is the profile ${profile}: keys were generated, and anyone can enrol.`,
      cure: 'Run `proofgate init production` before people depend on it.',
    },
  ];
}
