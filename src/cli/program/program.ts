import { createRequire } from 'node:module';
import { Argument, type CommanderError, Option, Command as Program } from 'commander';
import { describeDefault, describeExpected, SETTINGS } from '../../config/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Command, CommandInput } from './command.ts';
import type { CommonOptions } from './context.ts';
import { describeGroup } from './groups.ts';

/** Called with the parsed line of the command that was given. */
export type Dispatch = (command: Command, input: CommandInput, common: CommonOptions) => Promise<void>;

interface ProgramOutput {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

const manifest = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };

/** Every setting as a flag but the secret ones, which `refuseSecretFlags` refuses. */
function settingOptions(isShown: boolean): Option[] {
  return SETTINGS.filter((setting) => !setting.isSecret).map((setting) => {
    const text = `${setting.sentence} Expected: ${describeExpected(setting)}. Default: ${describeDefault(setting)}`;
    const option = new Option(`--${setting.key} <value>`, text);
    return isShown ? option.helpGroup('Settings:') : option.hideHelp();
  });
}

function inputOf(
  command: Command,
  positional: readonly string[],
  options: Record<string, unknown>,
): CommandInput {
  const names = (command.arguments ?? []).map((argument) => argument.name);
  return {
    argument: (name) => {
      const value = positional[names.indexOf(name)];
      if (value === undefined) {
        throw new ServiceError('cli.usage', `missing argument ${name}`);
      }
      return value;
    },
    option: (name) => {
      const value = options[name];
      return typeof value === 'string' ? value : undefined;
    },
    options: (name) => {
      const value = options[name];
      return Array.isArray(value) ? value : undefined;
    },
    has: (name) => options[name] === true,
    isOff: (name) => options[name] === false,
  };
}

function commonOf(options: Record<string, unknown>): CommonOptions {
  const flags: Record<string, string> = {};
  for (const { key } of SETTINGS) {
    const value = options[key];
    if (typeof value === 'string') {
      flags[key] = value;
    }
  }
  return {
    isJson: options.json === true,
    isConfirmed: options.yes === true,
    configFile: typeof options.config === 'string' ? options.config : undefined,
    flags,
  };
}

function addCommand(parent: Program, command: Command, dispatch: Dispatch): void {
  const leaf = withHelp(parent.command(command.path.at(-1) ?? ''), command.path.join(' '));
  leaf.summary(command.summary);
  leaf.description(
    command.details === undefined ? command.summary : `${command.summary}\n\n${command.details}`,
  );
  for (const argument of command.arguments ?? []) {
    const positional = new Argument(`<${argument.name}>`, argument.description);
    leaf.addArgument(argument.choices ? positional.choices([...argument.choices]) : positional);
  }
  for (const { flags, description, isRequired, choices, isRepeatable } of command.options ?? []) {
    const option = new Option(flags, description).makeOptionMandatory(isRequired ?? false);
    if (isRepeatable) option.argParser((value, former: readonly string[] = []) => [...former, value]);
    leaf.addOption(choices === undefined ? option : option.choices([...choices]));
  }
  leaf.option('--json', 'print JSON on standard output');
  leaf.option('--config <file>', 'configuration file (default: proofgate.config.json, where there is one)');
  for (const option of settingOptions(command.showsSettings ?? false)) {
    leaf.addOption(option);
  }
  leaf.action(async () => {
    const options = leaf.opts<Record<string, unknown>>();
    await dispatch(command, inputOf(command, leaf.args, options), commonOf(options));
  });
}

/** The commander program of a command table. It never ends the process and never writes but through `output`. */
export function buildProgram(
  commands: readonly Command[],
  output: ProgramOutput,
  dispatch: Dispatch,
): Program {
  const program = new Program('proofgate')
    .description('Open identity service: proof verification, sign-in, credential refresh')
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ ...output, outputError: () => undefined });
  const groups = new Map<string, Program>();
  for (const command of commands) {
    let parent = program;
    for (const [depth, word] of command.path.slice(0, -1).entries()) {
      const name = command.path.slice(0, depth + 1).join(' ');
      const group = groups.get(name) ?? parent.command(word).description(describeGroup(name));
      groups.set(name, withHelp(group, name));
      parent = group;
    }
    addCommand(parent, command, dispatch);
  }
  return program;
}

/** Words of the command or group whose help says more of an error. */
const HELPS = new WeakMap<CommanderError, string>();

/** Notes with each error of a command where its help is. */
function withHelp(program: Program, path: string): Program {
  return program.exitOverride((error) => {
    HELPS.set(error, path);
    throw error;
  });
}

/** Where the help of an error is: the words of its command or group, none for the program itself. */
export function helpOf(error: unknown): string {
  return HELPS.get(error as CommanderError) ?? '';
}

/** What commander throws as an error of ours; undefined for its help and version, which are answers. */
export function usageOf(error: CommanderError): ServiceError | undefined {
  if (error.exitCode === 0) {
    return undefined;
  }
  const message =
    error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
  return new ServiceError('cli.usage', withoutValue(message));
}

/** An unknown option is quoted with its `=value`, which may be a secret. */
function withoutValue(message: string): string {
  return message.replace(/^(unknown option '[^'=]*)=.*'/s, "$1'");
}
