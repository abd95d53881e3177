import type { Config } from '../../../config/settings/types.ts';
import { keyAges, rotationDueAt } from '../../../oidc/keys/rotation.ts';
import type { SigningKeyRow } from '../../../storage/signin/signing-keys.ts';
import { type CheckResult, ok, warn } from '../check.ts';

const NAME = 'signing keys';
const SECONDS_OF_DAY = 86_400;
/** Each node checks for a due rotation every few seconds; if one is this late, no node runs. */
const OVERDUE_SECONDS = 3600;
const OLD_DAYS = 365;

/**
 * Checks the ages of the keys that sign tokens, and the next rotation.
 *
 * @param rows - Published keys.
 * @param now - Milliseconds since the epoch.
 */
export function checkSigningKeys(
  rows: readonly SigningKeyRow[],
  { keys, profile }: Pick<Config, 'keys' | 'profile'>,
  now: number,
): CheckResult {
  if (rows.length === 0) return ok(NAME, 'none yet: made at the first start');
  const detail = keyAges(rows, keys, now)
    .map(({ state, ageSeconds }) => `${state} for ${days(ageSeconds)}`)
    .join(', ');
  const active = rows.find(({ state }) => state === 'active');
  if (active === undefined || !rows.some(({ state }) => state === 'next')) {
    return warn(NAME, `${detail}: one active and one next key are expected`, 'Run `proofgate keys list`.');
  }
  if (profile === 'production' && rows.some(({ isSealed }) => !isSealed)) {
    return warn(
      NAME,
      `${detail}; one is not sealed`,
      'Start the service with keys.masterKey: it seals them.',
    );
  }
  const dueAt = rotationDueAt(rows, keys);
  if (dueAt === undefined) {
    const ageDays = (now - (active.activatedAt ?? active.createdAt)) / 1000 / SECONDS_OF_DAY;
    const result = `${detail}; keys.rotationPeriodSeconds is 0: no automatic rotation`;
    return ageDays > OLD_DAYS ? warn(NAME, result, 'Run `proofgate keys rotate`.') : ok(NAME, result);
  }
  const dueInSeconds = (dueAt - now) / 1000;
  if (dueInSeconds < -OVERDUE_SECONDS) {
    return warn(
      NAME,
      `${detail}; the rotation is ${days(-dueInSeconds)} late`,
      'A running service rotates by itself: start it, or check its log.',
    );
  }
  return ok(NAME, `${detail}; next rotation in ${days(Math.max(0, dueInSeconds))}`);
}

function days(seconds: number): string {
  return `${(seconds / SECONDS_OF_DAY).toFixed(1)} d`;
}
