import { choiceOf, type Engine } from '../../engine/index.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../../errors/index.ts';
import type { Overload, OverloadCause } from '../../http/index.ts';
import type { SourceState, SourceStates } from '../../membership/index.ts';
import {
  createHealth,
  type Health,
  type HealthReport,
  type Log,
  type NoticeReport,
} from '../../observability/index.ts';
import type { SigningKeys } from '../../oidc/keys/signing-keys.ts';
import type { CredentialKeys } from '../../refresh/keys/credential-keys.ts';
import type { Store } from '../../storage/index.ts';
import type { NodeRecord } from '../parts/node-record.ts';

/** Dependencies of the readiness checks. */
export interface HealthParts {
  readonly store: Store;
  readonly engine: Engine;
  /** Undefined if sign-in is disabled. */
  readonly signingKeys: SigningKeys | undefined;
  /** `check` passes without a key if the settings do not require one. */
  readonly credentialKeys?: Pick<CredentialKeys, 'check'>;
  /** Errors of verifying keys that a binding, a root or the refresh interface names. */
  readonly keyErrors: readonly ServiceError[];
  /** States of the sources of roots. */
  readonly rootStates: Pick<SourceStates, 'list' | 'isStarting'>;
  /** Undefined without a store that nodes share. */
  readonly node?: Pick<NodeRecord, 'checkClock'> | undefined;
  /** Whether requests are refused because of overload. */
  readonly overload: Overload;
  readonly log: Log;
}

/** Why requests are refused, by the exhausted resource. */
const OVERLOADS: Readonly<Record<OverloadCause, string>> = {
  exchanges: 'http.maxOpenExchanges requests are served',
  body_memory: 'the bodies of many clients take http.maxBodyBytes',
  connections: 'no more connections are accepted',
};

/** Creates the checks of spec/operations.md#health; they run once `start` is called. */
export function createServiceHealth(parts: HealthParts): Health {
  const { store, engine, signingKeys, credentialKeys, keyErrors, overload, node, rootStates, log } = parts;
  const health = createHealth({
    checks: {
      async store() {
        const state = await store.probe();
        if (!state.isReachable || !state.isWritable) throw new Error(state.reason ?? 'not writable');
        return state.durability.text;
      },
      async migrations() {
        const pending = await pendingMigrations(store);
        if (pending > 0) throw new Error(`${pending} pending`);
        return undefined;
      },
      async keys() {
        if (keyErrors.length > 0) throw new Error(keyErrors.map(({ message }) => message).join('; '));
        const active = [await signingKeys?.check(), await credentialKeys?.check()];
        return active.filter((keyId) => keyId !== undefined).join(' ') || undefined;
      },
      ...(node === undefined ? {} : { clock: () => node.checkClock() }),
      engine() {
        const { readyWorkers, workers, arithmetic } = engine.stats();
        if (readyWorkers === 0 && workers > 0) throw new Error('no worker passed its self-test');
        return choiceOf(arithmetic);
      },
      load() {
        const { causes } = overload;
        if (causes.length > 0) throw new Error(causes.map((cause) => OVERLOADS[cause]).join('; '));
        return undefined;
      },
    },
    notices: {
      roots: { report: () => rootsNotice(rootStates.list()), isBlocking: () => rootStates.isStarting },
    },
    onChange: (isReady, report) => announce(isReady, report, log),
  });
  // a load balancer should learn of it before it has sent many more requests
  overload.onBegin = () => void health.refresh('load');
  return health;
}

/** Returns what readiness tells of the sources of roots: a stale one makes nobody wait. */
function rootsNotice(sources: readonly SourceState[]): NoticeReport {
  const order = ['starting', 'stale', 'ok'] as const;
  const status = order.find((candidate) => sources.some((source) => source.status === candidate));
  return { status: status ?? 'off', sources };
}

/** States of checks, and of the sources of roots, that readiness waits for. */
const NOT_READY: readonly string[] = ['failed', 'pending', 'starting'];

/** Logs a change of readiness: a warning with the reasons, unless a shutdown is the reason. */
function announce(isReady: boolean, { checks, draining }: HealthReport, log: Log): void {
  const event = 'service.readiness';
  if (isReady) {
    log.info('ready', { event });
  } else if (draining) {
    log.info('not ready', { event, reason: 'stopping' });
  } else {
    const failing = Object.entries(checks).filter(([, { status }]) => NOT_READY.includes(status));
    const reasons = failing.map(([name, { status, detail }]) => `${name}: ${detail ?? status}`);
    log.warn('not ready', { event, reason: reasons.join('; ') });
  }
}

/** Counts pending migrations; 0 if a newer release has migrated the shared store, which stays usable here. */
async function pendingMigrations(store: Store): Promise<number> {
  try {
    return (await store.migrationStatus()).pending.length;
  } catch (error) {
    if (isServiceError(error, 'store.newer')) return 0;
    throw error;
  }
}

/**
 * Returns a guard that refuses requests while the store is known to be unusable.
 *
 * @param code - Row of the catalogue for the refusal, which decides its body.
 */
export function storeGuard(store: Pick<Store, 'health'>, code: ErrorCode = 'store.unreachable'): () => void {
  return () => {
    const { isReachable, isWritable, reason } = store.health();
    if (!isReachable || !isWritable) throw new ServiceError(code, reason);
  };
}
