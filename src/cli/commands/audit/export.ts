import { auditJson } from '../../../admin/forms/index.ts';
import { writeText } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const PAGE_ROWS = 1000;

/** `audit export`: prints the whole audit log as JSON Lines. */
export const auditExport: Command = {
  path: ['audit', 'export'],
  summary: 'print the audit log as JSON Lines, the oldest change first',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async ({ audit }) => {
      for (let seq = 0; ; ) {
        const rows = await audit.listAfter(seq, PAGE_ROWS);
        for (const row of rows) await writeText(context.stdout, `${JSON.stringify(auditJson(row))}\n`);
        if (rows.length < PAGE_ROWS) return 0;
        seq = rows.at(-1)?.seq ?? seq;
      }
    }),
};
