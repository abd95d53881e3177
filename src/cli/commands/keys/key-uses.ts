import type { CommandInput, CommandOption } from '../../program/command.ts';

/** Use of a signing key: tokens of sign-in, or credentials of a refresh. */
export type ShownKeyUse = 'signin' | 'credential';

/** Uses of a signing key: the values of `--use`. */
export const KEY_USES: readonly ShownKeyUse[] = ['signin', 'credential'];

/** The option `--use` of a command for keys of one use. */
export const USE_OPTION: CommandOption = {
  flags: '--use <use>',
  description: 'signin if absent',
  choices: KEY_USES,
};

/** Reads `--use`; undefined if it was not given. */
export function useOf(input: CommandInput): ShownKeyUse | undefined {
  const use = input.option('use');
  return KEY_USES.find((known) => known === use);
}
