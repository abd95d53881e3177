/** Checks of what the rounds of a source left in the store. */
import type { SourceListing } from '../../../../membership/sources/operator/list-sources.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Smaller ranges are typical of free tiers: a first start takes long with them. */
const SMALL_RANGE = 500;
const SEE_LIST = '`proofgate roots sources list` shows its providers and its last error';

/** Checks that a source was read a short while ago. */
export function checkLag({ id, lagSeconds, isStale, lastError }: SourceListing): CheckResult {
  if (lagSeconds === undefined) {
    const cure = `Start the service if it does not run; ${SEE_LIST}.`;
    return warn('', `${id}: not read yet${errorOf(lastError)}`, cure);
  }
  if (!isStale) return ok('', `${id}: ${lagSeconds} s`);
  return fail(
    '',
    `${id}: not read for ${lagSeconds} s${errorOf(lastError)}`,
    `Start the service if it does not run; ${SEE_LIST}.`,
  );
}

/** Checks that no provider contradicted others in the last day. @param now - Milliseconds since the epoch. */
export function checkDisagreements(source: SourceListing, now: number): CheckResult {
  const { id, providers, lastError, lastErrorAgeSeconds } = source;
  const liars = providers.filter(({ disagreedAt }) => isWithin(disagreedAt, DAY_MS, now));
  const isUndecided =
    lastError?.startsWith('roots.disagreement:') === true && (lastErrorAgeSeconds ?? 0) * 1000 < DAY_MS;
  if (liars.length === 0 && !isUndecided) return ok('', `${id}: none within a day`);
  const who = liars.length === 0 ? 'providers' : liars.map(({ host }) => host).join(', ');
  return warn(
    '',
    `${id}: ${who} contradicted others within a day`,
    'Find out which is wrong with `proofgate roots sources check --providers`, and replace it.',
  );
}

/** Checks that providers do not limit a source, as far as is known. @param now - Milliseconds since the epoch. */
export function checkLimits({ id, providers }: SourceListing, now: number): CheckResult {
  const found = providers.flatMap(({ host, range, rateLimitedAt }) => [
    ...(range !== undefined && range < SMALL_RANGE ? [`${host} accepts ${range} blocks at once`] : []),
    ...(isWithin(rateLimitedAt, HOUR_MS, now) ? [`${host} limited the rate within an hour`] : []),
  ]);
  if (found.length === 0) return ok('', `${id}: none known`);
  const cure = 'Take a larger plan or another provider, or raise pollSeconds of the source.';
  return warn('', `${id}: ${found.join(', ')}`, cure);
}

function isWithin(at: number | undefined, ms: number, now: number): boolean {
  return at !== undefined && now - at < ms;
}

/** The code of an error: its message may quote what a provider said, with its key. */
function errorOf(lastError: string | undefined): string {
  return lastError === undefined ? '' : `, last error ${lastError.split(':', 1)[0]}`;
}
