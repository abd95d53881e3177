import { ServiceError } from '../../../errors/service-error.ts';
import { readText } from '../../input/input-file.ts';
import type { CommandContext, CommandInput, CommandOption } from '../../program/command.ts';

/** Sources of a token; standard input if neither is given. */
export const TOKEN_OPTIONS: readonly CommandOption[] = [
  { flags: '--token <token>', description: 'the token; other users of this machine can see arguments' },
  { flags: '--file <file>', description: 'a file that holds it, - for standard input, which is the default' },
];

/** Format of a token identifier: a UUID in lower case. */
const JTI = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_BYTES = 65_536;

/**
 * Reads the token from `--token`, `--file` or standard input.
 *
 * @throws ServiceError `cli.usage`
 */
export async function readToken(input: CommandInput, context: CommandContext): Promise<string> {
  const given = input.option('token');
  if (given !== undefined) return given.trim();
  const file = input.option('file') ?? '-';
  const token = (await readText(file, MAX_BYTES, context)).trim();
  if (token === '') throw new ServiceError('cli.usage', `${file}: expected a token, got nothing`);
  return token;
}

/**
 * Reads the identifier of `--jti`; undefined if it was not given.
 *
 * @throws ServiceError `cli.usage`
 */
export function readJti(input: CommandInput): string | undefined {
  const jti = input.option('jti');
  if (jti === undefined) return undefined;
  if (!JTI.test(jti)) throw new ServiceError('cli.usage', '--jti: expected a UUID in lower case');
  if (input.option('token') !== undefined || input.option('file') !== undefined) {
    throw new ServiceError('cli.usage', '--jti: expected without --token and --file');
  }
  return jti;
}
