import { shown } from '../../../config/apps/field-rule.ts';
import { readLogo } from '../../../config/apps/logo.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Logo } from '../../../storage/index.ts';
import { readInput } from '../../input/input-file.ts';
import type { CommandContext, CommandInput, CommandOption } from '../../program/command.ts';

// Above the largest logo and any secret, so that a larger file is refused without reading all of it.
const MAX_FILE_BYTES = 128 * 1024;

/** Reads `--response-types`, separated by commas; the words of a type may be in any order. */
export function responseTypesOption(input: CommandInput): string[] | undefined {
  return input
    .option('responseTypes')
    ?.split(',')
    .map((type) => type.trim().split(/ +/).sort().join(' '));
}

/** Option of `apps add` and `apps update` for the verification policy. */
export const POLICY_OPTION: CommandOption = {
  flags: '--policy <json>',
  description:
    'verification policy as a whole: a JSON object with environments, protocols, credentials, maxRootAgeSeconds, actions',
};

/**
 * Reads `--policy`; the registry checks the value.
 *
 * @throws ServiceError `app.invalid`
 */
export function policyOption(input: CommandInput): unknown {
  const text = input.option('policy');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const message = `policy: expected JSON, such as '{"environments":["production"]}', got ${shown(text)}`;
    throw new ServiceError('app.invalid', message, { path: 'policy' });
  }
}

/**
 * Reads the image that `--logo` names.
 *
 * @throws ServiceError `cli.usage`, `app.invalid`
 */
export async function readLogoFile(input: CommandInput, context: CommandContext): Promise<Logo | undefined> {
  const path = input.option('logo');
  if (path === undefined) return undefined;
  const logo = readLogo(await readInput(path, MAX_FILE_BYTES, context));
  if ('fault' in logo)
    throw new ServiceError('app.invalid', `logo: ${path}: ${logo.fault}`, { path: 'logo' });
  return logo;
}

/**
 * Reads the secret from the file that `--client-secret-file` names. The secret itself is never an option:
 * every user of a machine can see the arguments of a process.
 *
 * @throws ServiceError `cli.usage`
 */
export async function readSecretFile(
  input: CommandInput,
  context: CommandContext,
): Promise<string | undefined> {
  const path = input.option('clientSecretFile');
  return path === undefined
    ? undefined
    : (await readInput(path, MAX_FILE_BYTES, context)).toString('utf8').trim();
}

/** Reads a switch that has a form with `no`; undefined if neither was given. */
export function switchOf(input: CommandInput, name: string): boolean | undefined {
  return input.has(name) ? true : input.isOff(name) ? false : undefined;
}
