import type { Profile } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/index.ts';

/** Takes a warning about a verifying key, one sentence that names it. */
export type KeyWarning = (text: string) => void;

/**
 * Brings a verifying key into the engine under the rule of the profile: production refuses a key whose IC points are
 * equal, opposite or at infinity, other profiles warn. Whatever the profile, a key that anyone can forge proofs under
 * because of its points is refused.
 *
 * @throws ServiceError `key.*`
 */
export async function registerKey(
  engine: Pick<Engine, 'registerKey'>,
  { keyId, key }: { readonly keyId: string; readonly key: Uint8Array },
  profile: Profile,
  onWarning: KeyWarning,
): Promise<void> {
  if (profile === 'production') return await engine.registerKey(keyId, key);
  await engine.registerKey(keyId, key, {
    onDegenerateInputs: (faults) => {
      for (const fault of faults) onWarning(`key ${keyId}: ${fault}; production refuses such a key`);
    },
  });
}
