import { isStaging } from '../../../config/apps/app-forms.ts';
import type { AppRow } from '../../../storage/apps/apps.ts';
import { type CheckResult, ok, warn } from '../check.ts';

const NAME = 'app policies';
const MAX_NAMED = 20;

/**
 * Names the apps that accept proofs of staging, where anybody can make identities, although their ids are not for staging
 * (spec/verification.md#verification-policy).
 */
export function checkAppPolicies(
  apps: readonly Pick<AppRow, 'appId' | 'policy'>[],
  isProduction: boolean,
): CheckResult {
  const open = apps.filter(
    ({ appId, policy }) => !isStaging(appId) && policy.environments.includes('staging'),
  );
  if (open.length === 0) return ok(NAME, 'no app accepts staging proofs, except those with staging ids');
  const names = open.slice(0, MAX_NAMED).map(({ appId }) => appId);
  const more = open.length > MAX_NAMED ? ` and ${open.length - MAX_NAMED} more` : '';
  const detail = `accept proofs of staging, where anybody can make identities: ${names.join(', ')}${more}`;
  if (!isProduction) return ok(NAME, detail);
  return warn(
    NAME,
    detail,
    `Unless an app needs them: \`proofgate apps update ID --policy '{"environments":["production"]}'\`, with the other members of its policy.`,
  );
}
