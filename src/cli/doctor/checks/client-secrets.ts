import {
  describeSecrets,
  findSecretKeys,
  type SecretCensus,
  secretCensus,
} from '../../../apps/secrets/secrets.ts';
import type { Config } from '../../../config/settings/types.ts';
import type { Store } from '../../../storage/store.ts';
import { type CheckResult, fail, ok } from '../check.ts';

const NAME = 'client secrets';

/**
 * Counts the client secrets by the key that each is hashed under. Does not generate missing keys.
 *
 * @param now - Milliseconds since the epoch.
 * @returns Undefined if the keys of development were not generated yet.
 * @throws ServiceError `config.invalid`, `store.unreachable`
 */
export async function countClientSecrets(
  config: Config,
  { apps }: Pick<Store, 'apps'>,
  now: number,
): Promise<SecretCensus | undefined> {
  const keys = findSecretKeys(config);
  return keys === undefined ? undefined : await secretCensus(apps, keys, now);
}

/**
 * Checks that every client can still authenticate after changes of the master key or of `apps.secretHmacKey`.
 */
export function checkClientSecrets(census: SecretCensus): CheckResult {
  const { current, former, unknown, lost } = census;
  if (current + former + unknown + lost === 0) return ok(NAME, 'none in the registry');
  if (lost === 0) return ok(NAME, describeSecrets(census));
  return fail(
    NAME,
    describeSecrets(census),
    'Set keys.masterKeyPrevious or apps.secretHmacKeyPrevious to the key they were made under, or give each client a new secret with `proofgate apps rotate-secret ID`.',
  );
}
