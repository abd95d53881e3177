/**
 * Command line. `program/table.ts` lists the commands, one file each, loaded on demand. A command reaches
 * everything outside itself through its `CommandContext`. Results go to standard output, everything else to
 * standard error. Rules: spec/operations.md#command-line; `doctor/` spec/operations.md#diagnosis.
 */

import type { CliOptions } from './program/context.ts';
import { runCommand } from './program/run-cli.ts';
import { endProcessOneBySignals, refuseDebugger } from './program/signals.ts';
import { loadCommands } from './program/table.ts';

/** Runs `proofgate` with the arguments after the program's name; returns the exit code. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  endProcessOneBySignals();
  refuseDebugger();
  return await runCommand(await loadCommands(argv), argv, options);
}
