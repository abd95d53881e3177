import { signupJson } from '../../../admin/forms/index.ts';
import { findEnrolment, revokeEnrolment } from '../../../refresh/records/enrolments.ts';
import type { Command } from '../../program/command.ts';

/** `signups revoke ID_COMM`: revokes an enrolment after confirmation. */
export const signupsRevoke: Command = {
  path: ['signups', 'revoke'],
  summary: 'revoke an enrolment record: its holder is issued no more credentials',
  details:
    'Credentials that were issued stay valid. An import that has the record as active undoes the revocation.',
  arguments: [{ name: 'id_comm', description: '0x and 1 to 64 hex digits' }],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const idComm = input.argument('id_comm');
    return await context.withStore(await context.loadConfig(), async (store) => {
      const { enrolment } = await findEnrolment(store, idComm);
      await context.confirm(`Revoke the enrolment of signup ${JSON.stringify(enrolment.signupId)}?`);
      const row = await revokeEnrolment(store, idComm, context.now());
      await context.print(signupJson(row), `revoked the enrolment of signup ${JSON.stringify(row.signupId)}`);
      return 0;
    });
  },
};
