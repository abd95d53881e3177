import type { Config } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { createWorldId4Keys } from '../../membership/worldid4/key-lookup.ts';
import type { Log } from '../../observability/log/log.ts';
import { createPasskeys } from '../../oidc/known/passkeys.ts';
import type { SigninWorldId4 } from '../../oidc/transaction/types.ts';
import { createRequestSigner, signinSigningKey } from '../../oidc/worldid4/request-signer.ts';
import type { Store } from '../../storage/store.ts';
import { worldId4Rules } from '../../verification/run/verification.ts';
import { createProofs4Check } from '../../verification/worldid4/check-proofs4.ts';

/** Dependencies of `createSigninWorldId4`. */
export interface SigninWorldId4Parts {
  readonly config: Config;
  readonly store: Store;
  readonly engine: Engine;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Builds what sign-in needs to ask for World ID 4.0; undefined while `signin.worldid4.rpId` is not set.
 *
 * @throws ServiceError `signin.relying_party_changed`, `rp.unusable_key`, `store.unreachable`
 */
export async function createSigninWorldId4(parts: SigninWorldId4Parts): Promise<SigninWorldId4 | undefined> {
  const { config, store, engine, roots, keys, log, now } = parts;
  const { rpId, sessionForm, rememberSeconds } = config.signin.worldid4;
  const lookup = createWorldId4Keys(
    store.worldId4Keys,
    config.storage.cacheSeconds * 1000,
    now,
    store.changes,
  );
  const rules = worldId4Rules(config.verify.worldid4, lookup);
  if (rpId === undefined || rules === undefined) return undefined;
  const stored = await store.relyingParty.establish(rpId, now());
  if (stored !== rpId) {
    throw new ServiceError(
      'signin.relying_party_changed',
      `signin.worldid4.rpId: expected ${stored}, of which the subs in use are, got ${rpId}`,
    );
  }
  const signinRules = {
    ...rules,
    rootWindowSeconds: Math.min(rules.rootWindowSeconds, config.signin.maxRootAgeSeconds),
    // The bound is that of the request, which has a window of its own.
    minExpirationThresholdSeconds: Number.POSITIVE_INFINITY,
  };
  const onFault = (err: unknown): void =>
    log.error('a World ID 4.0 proof of a sign-in failed with an internal error', { err });
  return {
    rpId,
    sessionForm,
    issuers: rules.issuers,
    rememberMs: rememberSeconds * 1000,
    sign: await createRequestSigner(await signinSigningKey(config)),
    check: createProofs4Check({ rules: signinRules, engine, roots, keys, now, onFault }),
    people: store.people,
    passkeys: createPasskeys(config),
    onAlarm: (code, clientId) =>
      log.error('wallets refuse the World ID 4.0 requests of sign-in', {
        event: 'signin.worldid4_refused',
        code,
        clientId,
      }),
  };
}
