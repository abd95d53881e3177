import { RECORD_OPERATIONS } from '../../operations/records.ts';
import { importEnrolments } from '../../refresh/records/enrolments.ts';
import { IMPORT_DETAILS, IMPORT_OPTIONS, runImport } from '../input/run-import.ts';
import { callingCommand, operationCommand, YES_OPTION } from '../operations/operation-command.ts';
import type { Command } from '../program/command.ts';

const { getSignup, revokeSignup } = RECORD_OPERATIONS;
const ID_COMM = { name: 'id_comm', description: '0x and 1 to 64 hex digits' } as const;

/** `signups show ID_COMM`: shows one enrolment record, with its bindings and number of credentials. */
const signupsShow: Command = operationCommand(getSignup, {
  path: ['signups', 'show'],
  summary: 'show an enrolment record, the sub it is bound to, and how many credentials were issued',
  arguments: { id_comm: ID_COMM },
  show({ bindings, ...signup }) {
    const lines = Object.entries(signup).map(([name, value]) => `${name.padEnd(12)}  ${value}`);
    const issued = bindings.flatMap((binding) => [
      `issuer schema ${binding.issuer_schema_id}: ${binding.credentials} credential${binding.credentials === 1 ? '' : 's'}`,
      `  sub            ${binding.sub}`,
      `  first issued   ${binding.genesis_issued_at}`,
      `  last issued    ${binding.last_issued_at}`,
    ]);
    const text = [...lines, ...(issued.length === 0 ? ['no credential was issued'] : issued)].join('\n');
    return { jsonText: signupJson(signup, bindings), text };
  },
});

/** Returns an enrolment with its bindings as JSON text, in which `issuer_schema_id` is an integer. */
function signupJson(signup: object, bindings: readonly { readonly issuer_schema_id: string }[]): string {
  const shown = bindings.map(({ issuer_schema_id, ...members }) => {
    // A u64, which JSON.stringify would write as a rounded double.
    return `{"issuer_schema_id":${issuer_schema_id},${JSON.stringify(members).slice(1)}`;
  });
  return `${JSON.stringify(signup).slice(0, -1)},"bindings":[${shown.join(',')}]}`;
}

/** `signups revoke ID_COMM`: revokes an enrolment after confirmation. */
const signupsRevoke: Command = callingCommand({
  path: ['signups', 'revoke'],
  summary: 'revoke an enrolment record: its holder is issued no more credentials',
  details:
    'Credentials that were issued stay valid. An import that has the record as active undoes the revocation.',
  arguments: [ID_COMM],
  options: [YES_OPTION],
  async run({ input, context, call }) {
    const id_comm = input.argument('id_comm');
    const { signup_id } = await call(getSignup, { id_comm });
    await context.confirm(`Revoke the enrolment of signup ${JSON.stringify(signup_id)}?`);
    const signup = await call(revokeSignup, { id_comm, status: 'revoked' });
    return { json: signup, text: `revoked the enrolment of signup ${JSON.stringify(signup.signup_id)}` };
  },
});

/** `signups import FILE`: adds or updates enrolment records from a JSON Lines file of any size. */
const signupsImport: Command = {
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

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [signupsImport, signupsShow, signupsRevoke];
