import type { CommandInput, CommandOption } from '../../program/command.ts';

/** What a key signs: tokens of sign-in, or credentials of a refresh. */
export type ShownKeyUse = 'signin' | 'credential';

/** Uses of a signing key, for the option that asks for one. */
export const KEY_USES: readonly ShownKeyUse[] = ['signin', 'credential'];

/** `--use`, where a command is for keys of one use. */
export const USE_OPTION: CommandOption = {
  flags: '--use <use>',
  description: 'signin where absent',
  choices: KEY_USES,
};

/** The use that was asked for, undefined where none was. */
export function useOf(input: CommandInput): ShownKeyUse | undefined {
  const use = input.option('use');
  return KEY_USES.find((known) => known === use);
}
