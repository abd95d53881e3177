import { ServiceError } from '../../../errors/service-error.ts';
import type { Command } from '../../program/command.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type Completion, completionOf } from './words.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/**
 * `completion SHELL`: prints a script that completes commands, options and their values.
 *
 * @param loadAll - Loads every command of the table, this one included.
 */
export const completionCommand = (loadAll: () => Promise<readonly Command[]>): Command => ({
  path: ['completion'],
  summary: 'print a shell completion script for proofgate',
  details: `bash  source <(proofgate completion bash), in ~/.bashrc
zsh   source <(proofgate completion zsh), in ~/.zshrc after compinit
fish  proofgate completion fish >~/.config/fish/completions/proofgate.fish`,
  arguments: [{ name: 'shell', description: 'shell of the script', choices: Object.keys(SHELLS) }],
  run: async (input, context) => {
    const shell = input.argument('shell');
    const write = SHELLS[shell];
    if (write === undefined) throw new ServiceError('cli.usage', `shell: no completion for ${shell}`);
    const script = write(completionOf(await loadAll())).trimEnd();
    await context.print({ shell, script }, script);
    return 0;
  },
});
