import type { Config } from '../../../config/settings/types.ts';
import type { LoadedConfig } from '../../../config/sources/loaded-config.ts';
import type { PersonParts } from '../../../development/persons.ts';
import type { ProofCheck } from '../../../development/prove.ts';
import { createDevelopmentTrees, DEVELOPMENT_KEY } from '../../../development/trees.ts';
import type { Engine } from '../../../engine/engine.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { readKey } from '../../../membership/keys/verifying-keys.ts';
import { DEVELOPMENT_TREES, type DevelopmentTree } from '../../../pages.ts';
import type { Store } from '../../../storage/store.ts';
import type { CommandContext, CommandInput } from '../../program/command.ts';

/** Dependencies of a command about persons. */
export interface DevelopmentParts extends PersonParts {
  readonly store: Store;
  readonly engine: Engine;
}

/**
 * Loads the settings of a command whose proofs anyone can forge.
 *
 * @throws ServiceError `development.only`, `config.invalid`
 */
export async function loadDevelopment(context: CommandContext): Promise<LoadedConfig> {
  const loaded = await context.loadConfig();
  if (loaded.config.profile === 'production') {
    throw new ServiceError(
      'development.only',
      'profile is "production": persons and proofs of development are not valid there',
    );
  }
  return loaded;
}

/** Opens store, engine and trees for a command about persons, and closes them afterwards. */
export async function withDevelopment<T>(
  context: CommandContext,
  loaded: LoadedConfig,
  use: (parts: DevelopmentParts) => Promise<T>,
): Promise<T> {
  return await context.withStore(
    loaded,
    async (store) =>
      await withInlineEngine(context, loaded.config, async (engine) => {
        const parts = {
          store,
          engine,
          poseidon: (inputs: Uint8Array) => engine.poseidon(inputs),
          now: context.now,
        };
        return await use({ ...parts, trees: createDevelopmentTrees(parts) });
      }),
  );
}

/**
 * Runs `use` with an engine in this thread: a few hashes and one proof are not worth the start of workers.
 */
export async function withInlineEngine<T>(
  context: CommandContext,
  { engine }: Pick<Config, 'engine'>,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  return await context.withEngine({ ...engine, workers: 0 }, use);
}

/** Returns the engine and the key that check a proof before a command prints it. */
export async function proofCheck(
  engine: Engine,
  { profile }: Pick<Config, 'profile'>,
  keyId: string = DEVELOPMENT_KEY,
): Promise<ProofCheck> {
  const found = await readKey(keyId, profile, { find: async () => undefined });
  if (found === undefined) throw new ServiceError('engine.key_unknown', `no key ${keyId}`);
  return { engine, key: found.key };
}

/**
 * Refuses options that only another protocol version has.
 *
 * @throws ServiceError `cli.usage`
 */
export function refuseOptions(input: CommandInput, names: readonly string[], version: string): void {
  const given = names.find((name) => input.option(name) !== undefined || input.has(name));
  if (given !== undefined) {
    throw new ServiceError('cli.usage', `--${given} is for --protocol ${version} only`);
  }
}

/** Reads `--tree`. */
export function treeOption(input: CommandInput): DevelopmentTree | undefined {
  return DEVELOPMENT_TREES.find((tree) => tree === input.option('tree'));
}

/**
 * Reads an option that must not be empty, as an unset shell variable would make it.
 *
 * @throws ServiceError `cli.usage`
 */
export function filledOption(input: CommandInput, name: string): string | undefined {
  const value = input.option(name);
  if (value === '') throw new ServiceError('cli.usage', `--${name}: expected a text, got an empty text`);
  return value;
}
