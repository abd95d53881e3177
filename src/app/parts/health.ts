import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Overload, OverloadCause } from '../../http/limits/overload.ts';
import {
  createHealth,
  type Health,
  type HealthCheck,
  type HealthReport,
  type Notice,
} from '../../observability/health.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Store } from '../../storage/store.ts';
import type { HealthChecks, Part } from '../lifecycle.ts';

/** Reason why requests are refused, by the exhausted resource. */
const OVERLOADS: Readonly<Record<OverloadCause, string>> = {
  exchanges: 'http.maxOpenExchanges requests are served',
  body_memory: 'the bodies of many clients take http.maxBodyBytes',
  connections: 'no more connections are accepted',
};

/** Names of the checks that come first in reports, in order. */
const FIRST_CHECKS: readonly string[] = [
  'store',
  'migrations',
  'keys',
  'clock',
  'engine',
  'front_ends',
  'load',
];

/** Dependencies of `createServiceHealth`. */
export interface ServiceHealthParts {
  /** Checks and notices of the parts of the service. */
  readonly checks: HealthChecks;
  /** Whether requests are refused because of overload. */
  readonly overload: Overload;
  readonly log: Log;
  /** Called when readiness has changed, after it was logged. */
  readonly onChange?: (isReady: boolean) => void;
}

/** Creates readiness from the checks of spec/operations.md#health; they run from `start` on. */
export function createServiceHealth({ checks, overload, log, onChange }: ServiceHealthParts): Health {
  const health = healthOf({ ...checks, load: () => loadOf(overload) }, (isReady, report) => {
    announce(isReady, report, log);
    onChange?.(isReady);
  });
  // informs a load balancer before it sends many more requests
  overload.onBegin = () => void health.refresh('load');
  return health;
}

/** Creates readiness from checks and notices of parts. */
export function healthOf(
  all: HealthChecks,
  onChange: (isReady: boolean, report: HealthReport) => void,
): Health {
  const checks: Record<string, HealthCheck> = {};
  const notices: Record<string, Notice> = {};
  for (const name of new Set([...FIRST_CHECKS, ...Object.keys(all)])) {
    const check = all[name];
    if (typeof check === 'function') checks[name] = check;
    else if (check !== undefined) notices[name] = check;
  }
  return createHealth({ checks, notices, onChange });
}

/** Returns readiness as a part: the checks run while the service listens; not ready once a shutdown begins. */
export function healthPart(health: Health): Part {
  return {
    name: 'health',
    start: () => health.start(),
    drain: () => health.setDraining(),
    stop: () => health.stop(),
    metrics({ ready, healthCheckOk }) {
      const { status, checks } = health.report();
      ready.set(status === 'ok' ? 1 : 0);
      for (const [check, state] of Object.entries(checks)) {
        if ('ageMs' in state) healthCheckOk.set({ check }, state.status === 'ok' ? 1 : 0);
      }
    },
  };
}

function loadOf({ causes }: Overload): undefined {
  if (causes.length > 0) throw new Error(causes.map((cause) => OVERLOADS[cause]).join('; '));
}

/** States of checks and of root sources in which the service is not ready. */
const NOT_READY: readonly string[] = ['failed', 'pending', 'starting'];

/** Returns the failing checks of a report with their details. */
export function reasonsOf({ checks }: HealthReport): string {
  const failing = Object.entries(checks).filter(([, { status }]) => NOT_READY.includes(status));
  return failing.map(([name, { status, detail }]) => `${name}: ${detail ?? status}`).join('; ');
}

/** Logs a change of readiness: a warning with the reasons, unless a shutdown is the reason. */
function announce(isReady: boolean, report: HealthReport, log: Log): void {
  const event = 'service.readiness';
  if (isReady) {
    log.info('ready', { event });
  } else if (report.draining) {
    log.info('not ready', { event, reason: 'stopping' });
  } else {
    log.warn('not ready', { event, reason: reasonsOf(report) });
  }
}

/**
 * Returns a guard that refuses requests while the store is known to be unusable.
 *
 * @param code - Row of the catalogue for the refusal, which determines its body.
 */
export function storeGuard(store: Pick<Store, 'health'>, code: ErrorCode = 'store.unreachable'): () => void {
  return () => {
    const { isReachable, isWritable, reason } = store.health();
    if (!isReachable || !isWritable) throw new ServiceError(code, reason);
  };
}
