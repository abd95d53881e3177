import { join, resolve } from 'node:path';
import { envName } from '../../../config/settings/setting.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Command } from '../../program/command.ts';
import { CONFIG_NAME, type InitFile, OPEN_CHOICES, productionFiles } from './production-files.ts';
import { writeFiles } from './write-files.ts';

const CONTROL = /\p{Cc}/u;

/** `init production DIR`: writes a commented configuration with fresh secrets; lists what is left to decide. */
export const initProduction: Command = {
  path: ['init', 'production'],
  summary: 'write a commented production configuration with fresh secrets into a folder',
  details: `The folder gets mode 0700, its files 0600. No existing file is overwritten. The configuration is a file of
environment variables, ${CONFIG_NAME}, which every command accepts with --config; the secrets are in files next to it and
are not printed.`,
  arguments: [{ name: 'dir', description: 'the folder, which is created if it is missing' }],
  run: async (input, context) => {
    const folder = resolve(context.cwd, input.argument('dir'));
    if (CONTROL.test(folder)) {
      throw new ServiceError('cli.usage', 'dir: expected a path without control characters');
    }
    const files = productionFiles(folder);
    writeFiles(folder, files);
    const config = join(folder, CONFIG_NAME);
    const choices = OPEN_CHOICES.map(({ settings, isRequired, question }) => ({
      variables: settings.map(envName),
      required: isRequired,
      question,
    }));
    const shown = {
      folder,
      config,
      files: files.map(({ path, purpose }) => ({ path: join(folder, path), mode: '0600', purpose })),
      left_to_decide: choices,
    };
    await context.print(
      shown,
      [...created(folder, files), ...leftToDecide(choices), ...nextSteps(config)].join('\n'),
    );
    return 0;
  },
};

function created(folder: string, files: readonly InitFile[]): string[] {
  const width = Math.max(...files.map(({ path }) => path.length));
  const rows = files.map(({ path, purpose }) => `  ${path.padEnd(width)}  ${purpose}`);
  return [`Created in ${folder}, readable by their owner only:`, '', ...rows, ''];
}

function leftToDecide(
  choices: readonly {
    readonly variables: readonly string[];
    readonly required: boolean;
    readonly question: string;
  }[],
): string[] {
  const rows = choices.map(
    ({ variables, required, question }) =>
      `  ${variables.join(', ')}${required ? ' (required)' : ''}\n      ${question}`,
  );
  return [`Left to decide, in ${CONFIG_NAME}:`, '', ...rows, ''];
}

function nextSteps(config: string): string[] {
  return [
    'Then:',
    '',
    `  proofgate config explain --config ${config}`,
    `  proofgate serve --config ${config} --migrate`,
    `  proofgate doctor --config ${config}`,
  ];
}
