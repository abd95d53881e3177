import { ServiceError } from '../../errors/service-error.ts';
import { credentialLines } from '../../refresh/records/enrolments.ts';
import { parseTime, TIME_FORMS } from '../../text.ts';
import { writeText } from '../output/output.ts';
import type { Command } from '../program/command.ts';

/** `credentials export`: prints the records of issued credentials. */
export const credentialsExport: Command = {
  path: ['credentials', 'export'],
  summary: 'print the records of issued credentials as JSON Lines, the oldest first',
  details: `A line is {"id_comm", "sub", "issuer_schema_id", "id", "genesis_issued_at", "issued_at", "expires_at", "operator_id",
"encrypted_user_id"}; issuer_schema_id and id are 64-bit integers, the last two members are null if the refresh had
none. The records are personal data.`,
  options: [
    {
      flags: '--since <time>',
      description: `only credentials issued at this time or later; ${TIME_FORMS}`,
      isRequired: true,
    },
  ],
  run: async (input, context) => {
    const since = parseTime(input.option('since'));
    if (since === undefined) throw new ServiceError('cli.usage', `--since: expected ${TIME_FORMS}`);
    return await context.withStore(await context.loadConfig(), async ({ issuance }) => {
      for await (const line of credentialLines(issuance, since)) {
        await writeText(context.stdout, `${line}\n`);
      }
      return 0;
    });
  },
};
