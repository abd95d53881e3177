import { CommanderError } from 'commander';
import { isServiceError } from '../../errors/service-error.ts';
import { refuseSecretFlags } from '../input/secret-flags.ts';
import { describeFailure, OutputClosed } from '../output/output.ts';
import type { Command } from './command.ts';
import { type CliOptions, createContext } from './context.ts';
import { buildProgram, helpOf, usageOf } from './program.ts';
import type { TableEntry } from './table.ts';

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
