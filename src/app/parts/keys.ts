import type { Config } from '../../config/settings/types.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import { type KeyBindings, WORLDID4_BINDING } from '../../membership/keys/verifying-keys.ts';
import type { Log } from '../../observability/log/log.ts';
import { readInto } from '../../observability/metrics/instruments.ts';
import type { SigningKeys } from '../../oidc/keys/signing-keys.ts';
import type { CredentialKeys } from '../../refresh/keys/credential-keys.ts';
import type { Store } from '../../storage/store.ts';
import type { Part } from '../lifecycle.ts';

/** Dependencies of `keysPart`. */
export interface KeysPartParts {
  /** Rotated while the service runs. Undefined if sign-in is disabled. */
  readonly signingKeys: Pick<SigningKeys, 'check' | 'ages' | 'start' | 'stop'> | undefined;
  /** `check` also passes without a key if the settings do not require one. */
  readonly credentialKeys: Pick<CredentialKeys, 'check' | 'ages'>;
  /** Errors of verifying keys used by a binding, a root or the refresh interface. */
  readonly keyErrors: readonly ServiceError[];
}

/** Returns the keys of the service as a part, with the rotation of the token signing keys. */
export function keysPart({ signingKeys, credentialKeys, keyErrors }: KeysPartParts): Part {
  return {
    name: 'keys',
    start: () => signingKeys?.start(),
    stop: () => signingKeys?.stop(),
    health: {
      async keys() {
        if (keyErrors.length > 0) throw new Error(keyErrors.map(({ message }) => message).join('; '));
        const active = [await signingKeys?.check(), await credentialKeys.check()];
        return active.filter((keyId) => keyId !== undefined).join(' ') || undefined;
      },
    },
    async metrics({ keyAgeSeconds, keyNextRotationSeconds }) {
      keyNextRotationSeconds.reset();
      const read = async () => [...((await signingKeys?.ages()) ?? []), ...(await credentialKeys.ages())];
      await readInto(keyAgeSeconds, read, (gauge, ages) => {
        // If retired keys share their labels, the oldest is shown, since it is removed first.
        const oldestLast = ages.toSorted((one, other) => one.ageSeconds - other.ageSeconds);
        for (const { use, state, ageSeconds, endsInSeconds } of oldestLast) {
          gauge.set({ use, state }, ageSeconds);
          if (endsInSeconds !== undefined) keyNextRotationSeconds.set({ use, state }, endsInSeconds);
        }
      });
    },
  };
}

/** Returns the bindings that requests can use: without World ID 4.0 while it is switched off. */
export function usedBindings({ verify: { keys, worldid4 } }: Config): KeyBindings {
  if (worldid4.enabled) return keys;
  return Object.fromEntries(
    Object.entries(keys).filter(([setting]) => !setting.startsWith(WORLDID4_BINDING)),
  );
}

/**
 * Registers the verifying keys of bindings, of current roots and of the refresh interface with the engine.
 *
 * @returns The errors of keys that cannot be used; they make the service unready.
 */
export async function prepareKeys(
  keys: KeyRegistry,
  { refresh }: Pick<Config, 'refresh'>,
  store: Store,
  log: Pick<Log, 'error'>,
): Promise<ServiceError[]> {
  const roots = await store.roots.listCurrent();
  const errors = await keys.prepare(refresh.enabled ? [refresh.verificationKey] : [], roots);
  for (const error of errors) log.error(error.message, { code: error.code });
  return errors;
}
