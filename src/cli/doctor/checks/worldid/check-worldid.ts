import { type ChainSource, isChainSource } from '../../../../config/roots/source-types.ts';
import type { Config } from '../../../../config/settings/types.ts';
import type { CommandContext } from '../../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';
import { checkAttestationKeys } from './attestation-keys.ts';
import { askProviders, checkChainIds, checkClocks, checkQuorums } from './providers.ts';
import { oneLine, type RootsState } from './roots-state.ts';
import { checkDisagreements, checkLag, checkLimits } from './rounds.ts';

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
