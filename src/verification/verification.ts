import type { Config } from '../config/types.ts';
import type { Engine } from '../engine/index.ts';
import type { Store } from '../storage/index.ts';
import { createRelyingParties } from './find-relying-party.ts';
import { createKeyRegistry, type KeyRegistry } from './key-registry.ts';
import { createRequestParser } from './parse-request.ts';
import type { VerifyMetrics } from './request-telemetry.ts';
import { createRootRegistry } from './root-registry.ts';
import { createRequestVerifier, type RequestVerifier } from './verify-request.ts';

/** What the verification interface is built from. */
export interface VerificationOptions {
  readonly config: {
    readonly profile: Config['profile'];
    readonly verify: Pick<Config['verify'], 'maxResponses' | 'deadlineMs' | 'keys'>;
    readonly storage: Pick<Config['storage'], 'cacheSeconds'>;
  };
  readonly engine: Engine;
  readonly store: Store;
  readonly metrics: VerifyMetrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of faults of ours that one item met. */
  readonly onFault: (fault: unknown, requestId: string) => void;
}

/** The verification interface without HTTP. */
export interface Verification {
  readonly verifyRequest: RequestVerifier;
  readonly keys: KeyRegistry;
}

/** Builds the parts of the interface; schemas are compiled here. Call `keys.prepare()` before the first request. */
export function createVerification(options: VerificationOptions): Verification {
  const { config, engine, store, metrics, now, onFault } = options;
  const cacheMs = config.storage.cacheSeconds * 1000;
  const keys = createKeyRegistry({ engine, store, profile: config.profile, bindings: config.verify.keys });
  const verifyRequest = createRequestVerifier({
    parse: createRequestParser(config.verify.maxResponses),
    relyingParties: createRelyingParties(store.apps, cacheMs, now),
    roots: createRootRegistry(store.roots, cacheMs, now),
    keys,
    engine,
    nullifiers: store.nullifiers,
    metrics,
    deadlineMs: config.verify.deadlineMs,
    now,
    onFault,
  });
  return { verifyRequest, keys };
}
