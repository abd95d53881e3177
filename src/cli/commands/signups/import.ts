import { importEnrolments } from '../../../refresh/records/enrolments.ts';
import { IMPORT_DETAILS, IMPORT_OPTIONS, runImport } from '../../input/run-import.ts';
import type { Command } from '../../program/command.ts';

/** `signups import FILE`: adds or updates enrolment records from a JSON Lines file of any size. */
export const signupsImport: Command = {
  path: ['signups', 'import'],
  summary: 'add or update enrolment records from JSON Lines',
  details: `A line is {"id_comm", "signup_id", "orb_id", "enrolled_at", "status"}; enrolled_at is Unix seconds or RFC 3339, and
status is active (the default) or revoked. A dry run does not detect conflicts of lines that are 1,000 lines apart.
${IMPORT_DETAILS}`,
  arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
  options: [
    {
      flags: '--replace',
      description: 'accept another signup_id or orb_id for a known id_comm instead of refusing it',
    },
    ...IMPORT_OPTIONS,
  ],
  run: async (input, context) =>
    await runImport(input, context, async (chunks, { enrolments }, observer) => {
      const options = { replaces: input.has('replace'), isDryRun: input.has('dryRun') };
      return await importEnrolments(chunks, enrolments, options, context.now(), observer);
    }),
};
