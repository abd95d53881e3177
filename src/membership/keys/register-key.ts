import type { Profile } from '../../config/settings/setting.ts';
import type { Engine } from '../../engine/index.ts';
import type { KeyWithBytes } from './verifying-keys.ts';

/** Receives a warning about a verifying key, one sentence that names it. */
export type KeyWarning = (text: string) => void;

/**
 * Registers a verifying key with the engine. Production refuses a key whose IC points are at infinity or in a
 * simple relation to each other or to α; other profiles warn. Every profile refuses a key whose points let anyone forge proofs.
 *
 * @throws ServiceError `key.*`
 */
export async function registerKey(
  engine: Pick<Engine, 'registerKey'>,
  { keyId, key, isBuiltIn }: Pick<KeyWithBytes, 'keyId' | 'key' | 'isBuiltIn'>,
  profile: Profile,
  onWarning: KeyWarning,
): Promise<void> {
  // A test searches the built-in keys, whose bytes have their fingerprint.
  const options = { hasNoRelation: isBuiltIn };
  if (profile === 'production') return await engine.registerKey(keyId, key, options);
  await engine.registerKey(keyId, key, {
    ...options,
    onDegenerateInputs: (faults) => {
      for (const fault of faults) onWarning(`key ${keyId}: ${fault}; production refuses such a key`);
    },
  });
}
