import { findEnrolment } from '../../../refresh/records/enrolments.ts';
import { writeText } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';
import { signupText, signupWithBindingsJson } from './show-signup.ts';

/** `signups show ID_COMM`: shows one enrolment record, with its bindings and number of credentials. */
export const signupsShow: Command = {
  path: ['signups', 'show'],
  summary: 'show an enrolment record, the sub it is bound to, and how many credentials were issued',
  arguments: [{ name: 'id_comm', description: '0x and 1 to 64 hex digits' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const found = await findEnrolment(store, input.argument('id_comm'));
      const text = context.isJson
        ? signupWithBindingsJson(found)
        : signupText(found.enrolment, found.bindings);
      await writeText(context.stdout, `${text}\n`);
      return 0;
    }),
};
