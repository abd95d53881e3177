import { auditJson } from '../../../admin/forms/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command, CommandInput } from '../../program/command.ts';

const DEFAULT_ROWS = 50;
const MAX_ROWS = 10_000;
const HEAD = ['seq', 'time', 'actor', 'action', 'target', 'before', 'after'];

/** `audit list`: lists the latest changes. */
export const auditList: Command = {
  path: ['audit', 'list'],
  summary: 'list who changed what, the latest change first',
  details: 'Members with the values that they had before and after the change; secrets are never recorded.',
  options: [
    { flags: '--actor <actor>', description: 'only changes of one author, e.g. cli:root' },
    { flags: '--action <action>', description: 'only one kind of change, e.g. app.updated' },
    { flags: '--target <id>', description: 'only changes of one object, e.g. an app_id' },
    { flags: '--before <seq>', description: 'only changes before this one' },
    { flags: '--limit <rows>', description: `number of rows, ${DEFAULT_ROWS} if absent` },
  ],
  run: async (input, context) => {
    const limit = numberOption(input, 'limit', MAX_ROWS) ?? DEFAULT_ROWS;
    const before = numberOption(input, 'before', Number.MAX_SAFE_INTEGER);
    const filter = Object.fromEntries(
      ['actor', 'action', 'target'].flatMap((name) => {
        const value = input.option(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    return await context.withStore(await context.loadConfig(), async ({ audit }) => {
      const rows = await audit.list(filter, limit, before);
      const table = rows.map(({ seq, at, actor, action, target, before, after }) => [
        ...[String(seq), isoTime(at), actor, action, target, before ?? '-', after ?? '-'],
      ]);
      await context.print({ audit: rows.map(auditJson) }, textTable(HEAD, table));
      return 0;
    });
  },
};

function numberOption(input: CommandInput, name: string, max: number): number | undefined {
  const text = input.option(name);
  if (text === undefined) return undefined;
  const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new ServiceError(
    'cli.usage',
    `--${name}: expected a whole number from 1 to ${max}, got ${JSON.stringify(text)}`,
  );
}
