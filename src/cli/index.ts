/**
 * The command line: `table.ts` lists the commands, one file each, loaded when it is asked for; a command sees the
 * outside through its `CommandContext` alone. Results go to standard output, everything else to standard error.
 */

import type { CliOptions } from './program/context.ts';
import { runCommand } from './program/run-cli.ts';
import { loadCommands } from './program/table.ts';

export type { BuildApp, BuildAppOptions, RunningApp } from './commands/apps/app-handle.ts';
export type { Command, CommandContext, CommandInput } from './program/command.ts';
export type { CliOptions } from './program/context.ts';

/** Runs `proofgate` with the arguments after the program's name; gives the exit code. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  return await runCommand(await loadCommands(argv), argv, options);
}
