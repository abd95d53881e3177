import { ServiceError } from '../../../errors/index.ts';
import { type AuditHead, checkChain } from '../../../storage/index.ts';
import type { Command } from '../../program/command.ts';

const HEAD_FORM = /^([1-9][0-9]{0,15}):([0-9a-f]{64})$/;

/** `audit verify`: checks that no row of the audit log was removed or changed. */
export const auditVerify: Command = {
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
