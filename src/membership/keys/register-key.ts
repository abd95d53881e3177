import type { Profile } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/index.ts';

/** Receives a warning about a verifying key, one sentence that names it. */
export type KeyWarning = (text: string) => void;

/**
 * Registers a verifying key with the engine. Production refuses a key whose IC points are equal, opposite or at
 * infinity; other profiles warn. Every profile refuses a key whose points let anyone forge proofs.
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
