import type { Config } from '../../../config/settings/types.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import { checkKeyUse, readKey } from '../../../membership/keys/verifying-keys.ts';
import type { Store } from '../../../storage/store.ts';
import { messageOf } from '../../../text.ts';
import { type CheckResult, fail, ok } from '../check.ts';

const NAME = 'refresh key';

/** Checks that the verifying key of holder proofs exists, is intact, and may be trusted in this profile. */
export async function checkRefreshKey(
  { refresh, profile }: Pick<Config, 'refresh' | 'profile'>,
  verifyingKeys: Store['verifyingKeys'],
): Promise<CheckResult> {
  const keyId = refresh.verificationKey;
  if (!refresh.enabled) return ok(NAME, 'refresh.enabled is false: none is needed');
  try {
    const key = await readKey(keyId, profile, verifyingKeys);
    if (key === undefined) {
      return fail(
        NAME,
        `profile ${profile} has no verifying key ${keyId}`,
        'Set refresh.verificationKey to a key of `proofgate vkey list`, or import one.',
      );
    }
    checkKeyUse(key, profile);
    return ok(NAME, `${keyId}, origin ${key.origin}`);
  } catch (error) {
    return fail(NAME, messageOf(error), isServiceError(error) ? error.spec.cure : 'Report it.');
  }
}
