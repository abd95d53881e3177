import type { Config } from '../../config/settings/types.ts';
import { parseIssuerList } from '../../config/values/issuer-list.ts';
import type { Engine } from '../../engine/engine.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { createWorldId4Keys, type WorldId4Keys } from '../../membership/worldid4/key-lookup.ts';
import type { Store } from '../../storage/store.ts';
import { createIntegrityCheck, type IntegrityParts } from '../integrity/check-integrity.ts';
import { createBundleReader } from '../integrity/integrity-bundle.ts';
import { createRequestParser } from '../request/parse-request.ts';
import type { WorldId4Rules } from '../worldid4/prepare-items4.ts';
import { createRelyingParties } from './find-relying-party.ts';
import type { VerifyMetrics } from './request-telemetry.ts';
import { createRequestVerifier, type OnAccepted, type RequestVerifier } from './verify-request.ts';

/** Dependencies and settings of `createVerification`. */
export interface VerificationOptions {
  readonly config: {
    readonly verify: Pick<Config['verify'], 'maxResponses' | 'sandbox' | 'deadlineMs' | 'worldid4'>;
    readonly storage: Pick<Config['storage'], 'cacheSeconds'>;
  };
  readonly engine: Engine;
  readonly store: Pick<Store, 'apps' | 'nullifiers' | 'worldId4Keys' | 'integrityUses' | 'sessionProofUses'> &
    Partial<Pick<Store, 'changes'>>;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly metrics: VerifyMetrics & IntegrityParts['metrics'];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of single items. */
  readonly onFault: (fault: unknown, requestId: string) => void;
  readonly onKeysUnreadable: IntegrityParts['onKeysUnreadable'];
  readonly onAccepted?: OnAccepted;
}

/** The verification interface without HTTP. */
export interface Verification {
  readonly verifyRequest: RequestVerifier;
}

/** Creates the verification interface; compiles the schemas. */
export function createVerification(options: VerificationOptions): Verification {
  const { config, engine, store, keys, roots, metrics, now, onFault, onKeysUnreadable } = options;
  const cacheMs = config.storage.cacheSeconds * 1000;
  const worldId4 = worldId4Rules(
    config.verify.worldid4,
    createWorldId4Keys(store.worldId4Keys, cacheMs, now, store.changes),
  );
  const { attestation, integrity } = config.verify.worldid4;
  const verifiesBundles = integrity === 'verify';
  const uses = store.integrityUses;
  const verifyRequest = createRequestVerifier({
    parse: createRequestParser(
      config.verify.maxResponses,
      worldId4 && { issuers: worldId4.issuers, boundSessions: config.verify.worldid4.boundSessions },
      verifiesBundles ? createBundleReader() : undefined,
      config.verify.sandbox === 'staging',
    ),
    relyingParties: createRelyingParties(store.apps, cacheMs, now, store.changes),
    worldId4,
    integrity: verifiesBundles
      ? createIntegrityCheck({ attestation, uses, metrics, now, onKeysUnreadable })
      : undefined,
    roots,
    keys,
    engine,
    nullifiers: store.nullifiers,
    sessionProofUses: store.sessionProofUses,
    metrics,
    deadlineMs: config.verify.deadlineMs,
    now,
    onFault,
    onAccepted: options.onAccepted,
  });
  return { verifyRequest };
}

/** Returns the rules of World ID 4.0, or undefined while it is switched off. */
export function worldId4Rules(
  { enabled, issuers, rootWindowSeconds, minExpirationThresholdSeconds }: Config['verify']['worldid4'],
  lookup: WorldId4Keys,
): WorldId4Rules | undefined {
  if (!enabled) return undefined;
  const lists = {
    production: parseIssuerList(issuers.production),
    staging: parseIssuerList(issuers.staging),
  };
  return { issuers: lists, lookup, rootWindowSeconds, minExpirationThresholdSeconds };
}
