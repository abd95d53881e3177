import { choiceOf, type Engine } from '../engine/index.ts';
import { isServiceError, type ServiceError } from '../errors/index.ts';
import { createHealth, type Health, type Log } from '../observability/index.ts';
import type { SigningKeys } from '../oidc/keys/index.ts';
import type { CredentialKeys } from '../refresh/keys/index.ts';
import type { Store } from '../storage/index.ts';

/** What readiness is made of. */
export interface HealthParts {
  readonly store: Store;
  readonly engine: Engine;
  /** Absent where sign-in is switched off. */
  readonly signingKeys: SigningKeys | undefined;
  /** They say themselves whether the settings want one to sign. */
  readonly credentialKeys?: Pick<CredentialKeys, 'check'>;
  /** Faults of verifying keys that a binding, a root or the refresh interface names. */
  readonly keyErrors: readonly ServiceError[];
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The checks of operations.md section 11; they run once `start` is called. */
export function createServiceHealth(parts: HealthParts): Health {
  const { store, engine, signingKeys, credentialKeys, keyErrors, log, now } = parts;
  return createHealth({
    now,
    checks: {
      async store() {
        const state = await store.probe();
        if (!state.isReachable || !state.isWritable) throw new Error(state.reason ?? 'not writable');
        return state.durability;
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
      engine() {
        const { readyWorkers, workers, arithmetic } = engine.stats();
        if (readyWorkers === 0 && workers > 0) throw new Error('no worker passed its self-test');
        return choiceOf(arithmetic);
      },
    },
    onChange: (isReady) => log.info(isReady ? 'ready' : 'not ready', { event: 'service.readiness' }),
  });
}

/** A newer release may migrate the shared store while this one runs: its migrations work with the one before. */
async function pendingMigrations(store: Store): Promise<number> {
  try {
    return (await store.migrationStatus()).pending.length;
  } catch (error) {
    if (isServiceError(error, 'store.newer')) return 0;
    throw error;
  }
}
