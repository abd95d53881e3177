/**
 * Command line. `program/table.ts` lists the commands, one file each, loaded on demand. A command reaches
 * everything outside itself through its `CommandContext`. Results go to standard output, everything else to
 * standard error. Rules: spec/operations.md#command-line; `doctor/` spec/operations.md#diagnosis.
 */
import { CommanderError } from 'commander';
import { SETTINGS } from '../config/settings/schema.ts';
import type { Setting } from '../config/settings/setting.ts';
import { throwFaults } from '../config/sources/faults.ts';
import { secretFlagFault } from '../config/sources/read-sources.ts';
import { isServiceError } from '../errors/service-error.ts';
import { describeFailure, OutputClosed } from './output/output.ts';
import type { Command } from './program/command.ts';
import { type CliOptions, createContext } from './program/context.ts';
import { buildProgram, helpOf, usageOf } from './program/program.ts';
import { loadCommands, type TableEntry } from './program/table.ts';

/** Returns the exit code of an error: that of its row in the catalogue, else 1. */
export function exitCodeOf(error: unknown): number {
  return isServiceError(error) ? (error.spec.exit ?? 1) : 1;
}

/**
 * Runs the command that the arguments name.
 *
 * @param commands - Loaded for these arguments.
 * @param argv - Arguments after the name of the program.
 * @returns The exit code: 0 done, 1 refused or false, 2 usage, 69 a dependency is unreachable, 75 try again,
 *   78 configuration.
 */
export async function runCommand(
  commands: readonly TableEntry[],
  argv: readonly string[],
  options: CliOptions,
): Promise<number> {
  const stdout = options.stdout ?? process.stdout;
  const stderr = options.stderr ?? process.stderr;
  // Never removed: without a listener, a closed pipe would end the process. writeText throws OutputClosed.
  stdout.on('error', () => undefined);
  let exitCode = 0;
  let running: Command | undefined;
  const program = buildProgram(
    commands,
    argv,
    { writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) },
    async (command, input, common) => {
      running = command;
      exitCode = await command.run(input, createContext(options, common));
    },
  );
  try {
    refuseSecretFlags(argv);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof OutputClosed) {
      return 1;
    }
    const failure = error instanceof CommanderError ? usageOf(error) : error;
    if (failure === undefined) {
      return 0;
    }
    const help = running?.path.join(' ') ?? helpOf(error);
    stderr.write(`${describeFailure(failure, argv.includes('--json'), help)}\n`);
    return exitCodeOf(failure);
  }
}

/** Matches an option with or without `=value`; captures only the name. */
const OPTION = /^--?([A-Za-z][\w.-]*)(?:=|$)/;

/** Normalizes a name: `admin.token`, `admin-token` and `adminToken` become equal. */
function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

const SECRETS: ReadonlyMap<string, Setting> = new Map(
  SETTINGS.filter((setting) => setting.isSecret).flatMap((setting) => {
    const name = normalized(setting.key);
    return [name, `${name}file`, `proofgate${name}`, `proofgate${name}file`].map((each) => [each, setting]);
  }),
);

/**
 * Refuses a command line with a secret setting, in any spelling of its name (also as its environment variable): other
 * users of the machine can read it while the process runs.
 *
 * @throws ServiceError `config.invalid`; the message contains the variables for the secrets and no value
 */
function refuseSecretFlags(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  throwFaults(
    options.flatMap((word) => {
      const name = OPTION.exec(word)?.[1];
      const setting = name === undefined ? undefined : SECRETS.get(normalized(name));
      return name === undefined || setting === undefined ? [] : [secretFlagFault(`--${name}`, setting)];
    }),
  );
}

/** Runs `proofgate` with the arguments after the program's name; returns the exit code. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  return await runCommand(await loadCommands(argv), argv, options);
}
