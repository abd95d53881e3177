import type { Config } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/index.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { Store } from '../../storage/index.ts';
import { createRequestParser } from '../request/parse-request.ts';
import { createRelyingParties } from './find-relying-party.ts';
import type { VerifyMetrics } from './request-telemetry.ts';
import { createRequestVerifier, type RequestVerifier } from './verify-request.ts';

/** Dependencies and settings of `createVerification`. */
export interface VerificationOptions {
  readonly config: {
    readonly verify: Pick<Config['verify'], 'maxResponses' | 'deadlineMs'>;
    readonly storage: Pick<Config['storage'], 'cacheSeconds'>;
  };
  readonly engine: Engine;
  readonly store: Pick<Store, 'apps' | 'nullifiers'>;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly metrics: VerifyMetrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of single items. */
  readonly onFault: (fault: unknown, requestId: string) => void;
}

/** The verification interface without HTTP. */
export interface Verification {
  readonly verifyRequest: RequestVerifier;
}

/** Creates the verification interface; compiles the schemas. */
export function createVerification(options: VerificationOptions): Verification {
  const { config, engine, store, keys, roots, metrics, now, onFault } = options;
  const verifyRequest = createRequestVerifier({
    parse: createRequestParser(config.verify.maxResponses),
    relyingParties: createRelyingParties(store.apps, config.storage.cacheSeconds * 1000, now),
    roots,
    keys,
    engine,
    nullifiers: store.nullifiers,
    metrics,
    deadlineMs: config.verify.deadlineMs,
    now,
    onFault,
  });
  return { verifyRequest };
}
