import { resolve } from 'node:path';
import { type ChainSource, isChainSource } from '../../../../config/roots/source-types.ts';
import type { Config } from '../../../../config/settings/types.ts';
import type { SourceListing } from '../../../../membership/sources/operator/list-sources.ts';
import { messageOf } from '../../../../text.ts';
import { loadKeySet } from '../../../../verification/integrity/attestation-keys.ts';
import type { CommandContext } from '../../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';
import { askProviders, checkChainIds, checkClocks, checkQuorums } from './providers.ts';
import { oneLine, type RootsState } from './roots-state.ts';

const SWITCH = 'World ID 4.0';
const PRESETS = 'worldid3-ethereum, worldid4-production or another preset of src/docs/worldid.md';

/**
 * Checks sources of roots, their providers, and settings that belong to them (spec/roots.md#commands). Queries
 * providers only if there are sources on chains, each for at most a few seconds.
 *
 * @param state - State of roots in the store; undefined if it cannot be read, which another check reports.
 */
export async function checkWorldId(
  state: RootsState | undefined,
  config: Config,
  context: Pick<CommandContext, 'now' | 'cwd'>,
): Promise<CheckResult[]> {
  const now = context.now();
  const sources = config.roots.sources.filter(isChainSource);
  const answers = sources.length === 0 ? [] : await askProviders(sources, config.roots);
  return [
    ...(state === undefined ? [] : [checkBoundKeys(config, state)]),
    ...(answers.length === 0
      ? []
      : [
          oneLine('root quorum', checkQuorums(answers)),
          oneLine('root chain ids', checkChainIds(answers)),
          oneLine('root clock', checkClocks(answers, now)),
        ]),
    ...(state === undefined || state.sources.length === 0
      ? []
      : [
          oneLine('root lag', state.sources.map(checkLag)),
          oneLine(
            'root disagreements',
            state.sources.map((source) => checkDisagreements(source, now)),
          ),
          oneLine(
            'root limits',
            state.sources.map((source) => checkLimits(source, now)),
          ),
        ]),
    checkSwitch(config, sources),
    ...(await checkAttestationKeys(config, context.cwd)),
  ];
}

/**
 * Checks that each bound key has a root, or a source that provides one. An environment without either in any tree
 * counts as unused if the other one is in use.
 */
export function checkBoundKeys(
  { profile, verify, roots }: Pick<Config, 'profile' | 'verify' | 'roots'>,
  { trees }: Pick<RootsState, 'trees'>,
): CheckResult {
  const served = [...trees, ...roots.sources];
  const isUsed = (environment: string | undefined): boolean =>
    served.length === 0 || served.some((each) => each.environment === environment);
  const unused = new Set<string>();
  const lacking = Object.keys(verify.keys).filter((binding) => {
    const [, environment, tree] = /^verify\.(?:worldid4\.)?key\.([a-z]+)(?:\.(\w+))?$/.exec(binding) ?? [];
    if (environment !== undefined && !isUsed(environment)) {
      unused.add(environment);
      return false;
    }
    const is4 = binding.startsWith('verify.worldid4.');
    if (is4 && !verify.worldid4.enabled) return false;
    // A binding of an environment is for its trees of World ID 3.0 that have none of their own.
    const isOf = (each: string): boolean =>
      tree === undefined
        ? (each === 'account') === is4 && verify.keys[`${binding}.${each}`] === undefined
        : each === tree;
    return !served.some((each) => each.environment === environment && isOf(each.tree));
  });
  const others = [...unused].map((environment) => `; none for ${environment}, which is not in use`).join('');
  if (lacking.length === 0) return ok('roots', `each bound key has a root or a source${others}`);
  const detail = `no root and no source for ${lacking.join(', ')}`;
  // Elsewhere most keys are bound by default and not in use.
  if (profile !== 'production') return ok('roots', detail);
  return warn(
    'roots',
    `${detail}: proofs under it are refused`,
    `Add a source to roots.sources (${PRESETS}), or a root with \`proofgate roots add\`.`,
  );
}

/** Checks that World ID 4.0 is accepted where a source reads it, and read where it is accepted. */
export function checkSwitch(
  { profile, verify }: Pick<Config, 'profile' | 'verify'>,
  sources: readonly ChainSource[],
): CheckResult {
  const { enabled } = verify.worldid4;
  const reading = sources.filter(({ kind }) => kind === 'registry4').map(({ id }) => id);
  if (enabled && reading.length === 0) {
    const detail = 'verify.worldid4.enabled is true, and no source reads its roots and keys';
    if (profile !== 'production') return ok(SWITCH, `${detail}: those of operators and of development count`);
    return warn(
      SWITCH,
      `${detail}, which change every few seconds`,
      'Add worldid4-production to roots.sources, or set verify.worldid4.enabled to false.',
    );
  }
  if (!enabled && reading.length > 0) {
    return fail(
      SWITCH,
      `verify.worldid4.enabled is false, yet ${reading.join(', ')} reads its roots: its proofs are refused`,
      'Set verify.worldid4.enabled to true, or take the source out of roots.sources.',
    );
  }
  return ok(SWITCH, enabled ? `read by ${reading.join(', ')}` : 'verify.worldid4.enabled is false');
}

const NAME = 'attestation keys';

/**
 * Checks the sources of the keys for integrity bundles; no line if bundles are ignored. Makes no request to the address
 * of a key set.
 *
 * @param cwd - Base folder of relative paths.
 */
export async function checkAttestationKeys(
  { profile, verify }: Pick<Config, 'profile' | 'verify'>,
  cwd: string,
): Promise<CheckResult[]> {
  const { integrity, attestation } = verify.worldid4;
  if (integrity !== 'verify') return [];
  const found = await Promise.all(
    (['production', 'staging'] as const).map(async (environment) => {
      const setting = `verify.worldid4.attestation.${environment}`;
      const { jwksFile, jwksUrl, issuer } = attestation[environment];
      if (jwksFile !== undefined) {
        const file = { jwksFile: resolve(cwd, jwksFile), jwksUrl, issuer };
        return await checkFile(`${setting}.jwksFile`, file);
      }
      const { host } = new URL(jwksUrl);
      if (profile !== 'production' || environment !== 'production')
        return ok('', `${environment} from ${host}`);
      return warn(
        '',
        `${environment} from ${host}: without a way to it, each integrity bundle is refused`,
        `Save that key set to a file, name it in ${setting}.jwksFile, and replace it when the issuer changes its keys.`,
      );
    }),
  );
  return [oneLine(NAME, found)];
}

async function checkFile(setting: string, file: Parameters<typeof loadKeySet>[0]): Promise<CheckResult> {
  const cure = `Save the key set of the issuer to the file of ${setting}.`;
  try {
    const { size } = await loadKeySet(file);
    if (size === 0) return fail('', `${setting}: the file has no key for ES256`, cure);
    return ok('', `${setting}: ${size} key${size === 1 ? '' : 's'}`);
  } catch (error) {
    // The message of the parser quotes the text.
    const reason = error instanceof SyntaxError ? 'the file is not JSON' : messageOf(error);
    return fail('', `${setting}: ${reason}`, cure);
  }
}

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
