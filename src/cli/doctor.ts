import type { Command } from './command.ts';
import type { CheckResult } from './doctor/check.ts';
import { runChecks } from './doctor/run-checks.ts';

function asText(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map((result) => result.name.length));
  return results
    .map(({ name, status, detail, cure }) => {
      const line = `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`;
      return cure === undefined ? line : `${line}\n      ${' '.repeat(width)}  cure: ${cure}`;
    })
    .join('\n');
}

/** `doctor`: one line a check, each with its cure; exit code 1 when one fails. */
export const doctor: Command = {
  path: ['doctor'],
  summary: 'look for what keeps the service from running well',
  run: async (_input, context) => {
    const checks = await runChecks(context);
    const isWell = checks.every((check) => check.status !== 'fail');
    await context.print({ ok: isWell, checks }, asText(checks));
    return isWell ? 0 : 1;
  },
};
