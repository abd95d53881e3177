import { ServiceError } from '../../errors/service-error.ts';
import { AUDIT_OPERATIONS, auditJson } from '../../operations/audit.ts';
import { cursorOf } from '../../operations/page.ts';
import { checkChain } from '../../storage/audit/audit-chain.ts';
import type { AuditHead } from '../../storage/audit/audit-log.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, optionsOf, wholeNumber } from '../operations/operation-command.ts';
import { textTable, writeText } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const DEFAULT_ROWS = 50;
const MAX_ROWS = 10_000;
const PAGE_ROWS = 1000;
const HEAD_FORM = /^([1-9][0-9]{0,15}):([0-9a-f]{64})$/;

const { listAudit } = AUDIT_OPERATIONS;
const FILTER = optionsOf(listAudit.input, { limit: null, cursor: null });

/** `audit list`: lists the latest changes. */
const auditList: Command = callingCommand({
  path: ['audit', 'list'],
  summary: 'list who changed what, the latest change first',
  details: 'Members with the values that they had before and after the change; secrets are never recorded.',
  options: [
    ...FILTER.options,
    { flags: '--before <seq>', description: 'only changes before this one' },
    { flags: '--limit <rows>', description: `number of rows, ${DEFAULT_ROWS} if absent` },
  ],
  async prepare(input, context) {
    const [limit, before] = [input.option('limit'), input.option('before')];
    const most = limit === undefined ? DEFAULT_ROWS : wholeNumber('--limit', limit, 1, MAX_ROWS);
    const place = before === undefined ? undefined : [wholeNumber('--before', before, 1)];
    const filter = await FILTER.read(input, context);
    return { most, filter: { ...filter, ...(place === undefined ? {} : { cursor: cursorOf(place) }) } };
  },
  async run({ call }, { most, filter }) {
    const audit = await readItems(call, listAudit, filter, most);
    const text = textTable(audit, {
      seq: 'seq',
      time: 'at',
      actor: 'actor',
      action: 'action',
      target: 'target',
      before: ({ before }) => (before === null ? null : JSON.stringify(before)),
      after: ({ after }) => (after === null ? null : JSON.stringify(after)),
    });
    return { json: { audit }, text };
  },
});

/** `audit export`: prints the whole audit log as JSON Lines. */
const auditExport: Command = {
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

/** `audit verify`: checks that no row of the audit log was removed or changed. */
const auditVerify: Command = {
  path: ['audit', 'verify'],
  summary: 'check that no row of the audit log was removed or changed',
  details: `Each row carries the hash of the row before it, so that a change in the middle breaks the chain. Whoever can write
the database can cut the log off at its end or write it anew: note the row that this command prints, or the events
audit.recorded in the log of the service, and pass a noted row with --head.`,
  options: [
    { flags: '--head <seq:hash>', description: 'a row noted earlier, which the log must still hold' },
  ],
  run: async (input, context) => {
    const known = headOption(input.option('head'));
    return await context.withStore(await context.loadConfig(), async ({ audit }) => {
      const check = await checkChain(audit, known);
      if (!check.isSound) {
        throw new ServiceError('audit.broken', `row ${check.seq}: ${check.fault}`);
      }
      const { seq, hash } = check.head;
      await context.print({ sound: true, seq, hash }, `sound: ${seq} rows\nhead   ${seq}:${hash}`);
      return 0;
    });
  },
};

function headOption(text: string | undefined): AuditHead | undefined {
  if (text === undefined) return undefined;
  const [, seq, hash] = HEAD_FORM.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new ServiceError(
      'cli.usage',
      '--head: expected the number of a row, a colon and 64 hex digits, as audit verify prints them',
    );
  }
  return { seq: Number(seq), hash };
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [auditList, auditExport, auditVerify];
