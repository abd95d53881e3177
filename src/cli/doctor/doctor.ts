import type { Command } from '../program/command.ts';
import type { CheckResult } from './check.ts';
import { runChecks } from './run-checks.ts';

function asText(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map((result) => result.name.length));
  return results
    .map(({ name, status, detail, cure }) => {
      const line = `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`;
      return cure === undefined ? line : `${line}\n      ${' '.repeat(width)}  cure: ${cure}`;
    })
    .join('\n');
}

/** Returns 78 if there is no store: most likely the command runs in another folder than the service. */
function exitCodeOf(checks: readonly CheckResult[]): number {
  if (checks.some(({ code }) => code === 'store.absent')) return 78;
  return checks.some(({ status }) => status === 'fail') ? 1 : 0;
}

/**
 * `doctor`: prints one line per check, with its cure; exit code 1 when one fails, 78 when there is no store.
 */
export const doctor: Command = {
  path: ['doctor'],
  summary: 'check for problems that keep the service from running well',
  run: async (_input, context) => {
    const checks = await runChecks(context);
    const exitCode = exitCodeOf(checks);
    await context.print({ ok: exitCode === 0, checks }, asText(checks));
    return exitCode;
  },
};
