import { createAddressKeys, createBridgeIds } from '../apps/address-keys.ts';
import type { Config } from '../config/settings/types.ts';
import type { Engine } from '../engine/engine.ts';
import { createKeyRegistry } from '../membership/keys/key-registry.ts';
import { createRootRegistry, type RootRegistry } from '../membership/roots/root-registry.ts';
import type { Log } from '../observability/log/log.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import type { UsageTally } from '../observability/usage.ts';
import type { AppStore } from '../storage/apps/apps.ts';
import type { Store } from '../storage/store.ts';
import { createGroth16Verifier, type Groth16Verifier } from '../verification/groth16.ts';
import { createVerification, type Verification } from '../verification/run/verification.ts';
import { usedBindings } from './parts/keys.ts';
import { createRefreshParts, type RefreshService } from './parts/refresh.ts';
import { createSignin, type Signin, type SigninParts } from './parts/signin.ts';

/** Dependencies of the public interfaces. */
export interface ServiceParts {
  readonly config: Config;
  readonly store: Store;
  /** Registry of apps, with those of the configuration. */
  readonly apps: AppStore;
  readonly engine: Engine;
  /** Queries the sources of roots. */
  readonly rootSources: Pick<RootRegistry, 'refreshOf' | 'confirmedUntil'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly usage: UsageTally;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The public interfaces without HTTP, and what they share. */
export interface Service extends SigninParts {
  readonly verification: Verification;
  /** Undefined if `groth16.enabled` is false. */
  readonly groth16: Groth16Verifier | undefined;
  /** Undefined if `signin.enabled` is false. */
  readonly signin: Signin | undefined;
  readonly refresh: RefreshService;
}

/**
 * Creates the public interfaces over a store and an engine: once in a process, or once in each front end. Does not register
 * verifying keys with the engine.
 *
 * @throws ServiceError `signing_key.*`, `issuer_key.*`, `store.unreachable`
 */
export async function createService(parts: ServiceParts): Promise<Service> {
  const { config, store, apps, engine, rootSources, log, metrics, usage, now } = parts;
  const shared = {
    ...parts,
    keys: createKeyRegistry({
      engine,
      store,
      profile: config.profile,
      bindings: usedBindings(config),
      onWarning: (text) => log.warn(text, { event: 'key.degenerate_inputs' }),
    }),
    roots: createRootRegistry(
      store.roots,
      config.storage.cacheSeconds * 1000,
      now,
      rootSources,
      store.changes,
    ),
    addressKeys: createAddressKeys(config),
    bridgeIds: createBridgeIds(config),
  };
  const onFault = (fault: unknown, requestId: string): void =>
    log.error('an item failed with an internal error', { requestId, err: fault });
  return {
    ...shared,
    signin: config.signin.enabled ? await createSignin(shared) : undefined,
    refresh: await createRefreshParts(shared),
    verification: createVerification({
      ...shared,
      store: { ...store, apps },
      onFault,
      onAccepted: (appId, environment, action) => usage.accept(appId, environment, action),
      onKeysUnreadable: (environment, err) =>
        log.warn('the keys of the attestation issuer cannot be read', { environment, err }),
    }),
    groth16: config.groth16.enabled
      ? createGroth16Verifier({
          engine,
          keys: shared.keys,
          metrics,
          onFault,
          maxProofs: config.groth16.maxProofs,
          deadlineMs: config.verify.deadlineMs,
        })
      : undefined,
  };
}
