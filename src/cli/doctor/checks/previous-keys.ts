import {
  previousDerivedKeyOf,
  previousSecretKeyOf,
  type SecretCensus,
  secretKeyId,
} from '../../../apps/secrets/secrets.ts';
import { envName } from '../../../config/settings/setting.ts';
import type { Config } from '../../../config/settings/types.ts';
import { type CheckResult, ok, warn } from '../check.ts';
import type { FormerSeals } from './key-seals.ts';

/**
 * Checks whether the former keys in the settings are still needed; returns nothing if none is set.
 *
 * @param census - Undefined if the secrets could not be counted: then no key is reported as unneeded.
 */
export function checkPreviousKeys(
  config: Config,
  seals: FormerSeals,
  census: SecretCensus | undefined,
): CheckResult[] {
  const { masterKeyPrevious } = config.keys;
  const { secretHmacKeyPrevious } = config.apps;
  const results: CheckResult[] = [];
  if (masterKeyPrevious !== undefined) {
    results.push(judge('keys.masterKeyPrevious', seals, census, previousDerivedKeyOf(config)));
  }
  if (secretHmacKeyPrevious !== undefined) {
    const none = { signingKeys: 0, credentialKeys: 0 };
    results.push(judge('apps.secretHmacKeyPrevious', none, census, previousSecretKeyOf(config)));
  }
  return results;
}

function judge(
  setting: string,
  { signingKeys, credentialKeys }: FormerSeals,
  census: SecretCensus | undefined,
  secretKey: Uint8Array | undefined,
): CheckResult {
  const secrets = (secretKey && census?.byKeyId.get(secretKeyId(secretKey))) ?? 0;
  const unknown = census?.unknown ?? 0;
  const needs = [
    [signingKeys, 'signing keys, until the next start'],
    [credentialKeys, 'credential keys, until the next start'],
    [secrets, 'client secrets, until their next use'],
    [unknown, 'client secrets whose key is not recorded (possibly), until their next use'],
  ] as const;
  const open = needs.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (census === undefined) return ok(setting, 'the client secrets under it could not be counted');
  if (open.length > 0) return ok(setting, `still needed by ${open.join('; ')}`);
  return warn(setting, 'nothing needs it any longer', `Remove ${setting} (${envName(setting)}).`);
}
