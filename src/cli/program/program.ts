import { Argument, type CommanderError, Option, Command as Program } from 'commander';
import { SETTINGS } from '../../config/settings/schema.ts';
import { describeDefault, describeExpected } from '../../config/settings/setting.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { buildVersion } from '../../version.ts';
import type { Command, CommandInput } from './command.ts';
import type { CommonOptions } from './context.ts';
import { describeGroup } from './groups.ts';
import type { TableEntry } from './table.ts';

/** Runs a command with its parsed command line. */
export type Dispatch = (command: Command, input: CommandInput, common: CommonOptions) => Promise<void>;

interface ProgramOutput {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
}

/** Matches an option that may be the flag of a setting. */
const MAYBE_SETTING = /^--(?!(?:help|json|yes)$)/;

/** Returns a flag for every setting but the secret ones, whose flags `refuseSecretFlags` refuses. */
function settingOptions(isShown: boolean): Option[] {
  return SETTINGS.filter((setting) => !setting.isSecret).map((setting) => {
    const text = `${setting.sentence} Expected: ${describeExpected(setting)}. Default: ${describeDefault(setting)}`;
    const names = setting.alias === undefined ? '' : `--${setting.alias}, `;
    const option = new Option(`${names}--${setting.key} <value>`, text);
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
    optionalArgument: (name) => positional[names.indexOf(name)],
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

function addCommand(parent: Program, command: Command, hasSettings: boolean, dispatch: Dispatch): void {
  const leaf = withHelp(parent.command(command.path.at(-1) ?? ''), command.path.join(' '));
  leaf.summary(command.summary);
  leaf.description(
    command.details === undefined ? command.summary : `${command.summary}\n\n${command.details}`,
  );
  for (const argument of command.arguments ?? []) {
    const { name } = argument;
    const positional = new Argument(argument.isOptional ? `[${name}]` : `<${name}>`, argument.description);
    leaf.addArgument(argument.choices ? positional.choices([...argument.choices]) : positional);
  }
  for (const { flags, description, isRequired, choices, isRepeatable } of command.options ?? []) {
    const option = new Option(flags, description).makeOptionMandatory(isRequired ?? false);
    if (isRepeatable) option.argParser((value, former: readonly string[] = []) => [...former, value]);
    leaf.addOption(choices === undefined ? option : option.choices([...choices]));
  }
  leaf.option('--json', 'print JSON on standard output');
  leaf.option('--config <file>', 'configuration file (default: proofgate.config.json, if it exists)');
  const isShown = command.showsSettings ?? false;
  if (hasSettings || isShown) for (const option of settingOptions(isShown)) leaf.addOption(option);
  leaf.action(async () => {
    const options = leaf.opts<Record<string, unknown>>();
    await dispatch(command, inputOf(command, leaf.args, options), commonOf(options));
  });
}

/**
 * Builds the commander program of table entries. It never ends the process and writes only to `output`.
 *
 * @param argv - The arguments to be parsed: without options, the flags of settings are left out.
 */
export function buildProgram(
  entries: readonly TableEntry[],
  argv: readonly string[],
  output: ProgramOutput,
  dispatch: Dispatch,
): Program {
  const program = new Program('proofgate')
    .description('Open identity service: proof verification, sign-in, credential refresh')
    .version(buildVersion())
    .exitOverride()
    .configureOutput({ ...output, outputError: () => undefined });
  const groups = new Map<string, Program>();
  const hasSettings = argv.some((word) => MAYBE_SETTING.test(word));
  for (const entry of entries) {
    const groupPath = typeof entry === 'string' ? [entry] : entry.path.slice(0, -1);
    let parent = program;
    for (const [depth, word] of groupPath.entries()) {
      const name = groupPath.slice(0, depth + 1).join(' ');
      const group = groups.get(name) ?? parent.command(word).description(describeGroup(name));
      groups.set(name, withHelp(group, name));
      parent = group;
    }
    if (typeof entry !== 'string') addCommand(parent, entry, hasSettings, dispatch);
  }
  return program;
}

/** For each error, the words of the command or group whose help explains it. */
const HELP_PATHS = new WeakMap<CommanderError, string>();

/** Records the words of a command or group for each error that it throws. */
function withHelp(program: Program, path: string): Program {
  return program.exitOverride((error) => {
    HELP_PATHS.set(error, path);
    throw error;
  });
}

/** Returns the words of the command or group whose help explains an error; empty for the program itself. */
export function helpOf(error: unknown): string {
  return HELP_PATHS.get(error as CommanderError) ?? '';
}

/**
 * Converts an error of commander into a `ServiceError`; undefined for help and version, which are not errors.
 */
export function usageOf(error: CommanderError): ServiceError | undefined {
  if (error.exitCode === 0) {
    return undefined;
  }
  const message =
    error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
  return new ServiceError('cli.usage', withoutValue(message));
}

/** Removes the `=value` of an unknown option, which may be a secret, from a message. */
function withoutValue(message: string): string {
  return message.replace(/^(unknown option '[^'=]*)=.*'/s, "$1'");
}
