import { ServiceError } from '../../errors/service-error.ts';
import { APP_OPERATIONS } from '../../operations/apps.ts';
import { PEOPLE_OPERATIONS } from '../../operations/people.ts';
import { decodeWord } from '../../semaphore/words.ts';
import { personHashOf } from '../../storage/signin/people.ts';
import { durationMs } from '../input/duration.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, operationCommand, YES_OPTION } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command, CommandInput } from '../program/command.ts';

const { listPeople, getPerson, forgetPerson, forgetPersonSession, forgetPersonPointer, allowBeginning } =
  PEOPLE_OPERATIONS;

const MAX_ROWS = 1000;
const APP = { name: 'app-id', description: 'app_id or rp_id of the app' } as const;
const SUB = /^0x[0-9a-fA-F]{64}$/;
const PERSON_OPTIONS = [
  { flags: '--sub <hex>', description: 'sub of the person, 0x and 64 hex digits; only its SHA-256 is sent' },
  { flags: '--person <id>', description: 'person_id, as `people list` shows it, instead of --sub' },
];

/** `people list APP_ID`: lists the people whom an app knows by World ID 4.0. */
const peopleList: Command = callingCommand({
  path: ['people', 'list'],
  summary: 'list the people whom an app knows by World ID 4.0',
  details: `At most ${MAX_ROWS}, in the order of their person_id: the SHA-256 of the sub, which is not shown.`,
  arguments: [APP],
  async run({ input, call }) {
    const people = await readItems(call, listPeople, { app_id: input.argument('app-id') }, MAX_ROWS);
    const columns = {
      person: 'person_id',
      sessions: 'sessions',
      begun: 'created_at',
      'last proven': 'last_proven_at',
    } as const;
    return { json: { people }, text: textTable(people, columns) };
  },
});

/** `people show APP_ID`: shows what is stored about a person. */
const peopleShow: Command = callingCommand({
  path: ['people', 'show'],
  summary: 'show the sessions of World ID 4.0 of a person, and the browsers and passkeys that find them',
  arguments: [APP],
  options: PERSON_OPTIONS,
  prepare: (input) => personIdOf(input),
  async run({ input, call }, person_id) {
    const person = await call(getPerson, { app_id: input.argument('app-id'), person_id });
    const times = { begun: 'created_at', ends: 'expires_at' } as const;
    const sessions = textTable(person.sessions, {
      session: 'id',
      binding: 'binding',
      'last proven': 'last_proven_at',
      ...times,
    });
    const pointers = textTable(person.pointers, {
      pointer: 'id',
      kind: 'kind',
      session: 'session',
      'last used': 'last_used_at',
      ...times,
    });
    return { json: person, text: `${sessions}\n\n${pointers}` };
  },
});

/** `people forget APP_ID`: forgets a person, or one session or pointer, after confirmation. */
const peopleForget: Command = callingCommand({
  path: ['people', 'forget'],
  summary: 'forget a person, or one of the sessions, browsers and passkeys of a person',
  details: `A forgotten person can return with the same sub where the wallet proves the nullifier again: from another installation, or
after a year. Elsewhere a new beginning is needed (\`people allow-beginning\`). Sessions of sign-in and tokens stay valid.`,
  arguments: [APP],
  options: [
    ...PERSON_OPTIONS,
    {
      flags: '--session <id>',
      description: 'only this session, as `people show` names it, and its pointers',
    },
    { flags: '--pointer <id>', description: 'only this browser or passkey, as `people show` names it' },
    YES_OPTION,
  ],
  prepare(input) {
    if (input.option('session') !== undefined && input.option('pointer') !== undefined) {
      throw new ServiceError('cli.usage', 'expected --session or --pointer, not both');
    }
    return personIdOf(input);
  },
  async run({ input, context, call }, person_id) {
    const { app_id, name } = await call(APP_OPERATIONS.getApp, { app_id: input.argument('app-id') });
    const [session, pointer] = [input.option('session'), input.option('pointer')];
    const what =
      session !== undefined ? `session ${session}` : pointer !== undefined ? `pointer ${pointer}` : 'all';
    await context.confirm(`Forget ${what} of the person ${person_id} of app ${app_id} (${name})?`);
    if (session !== undefined) await call(forgetPersonSession, { app_id, person_id, id: session });
    else if (pointer !== undefined) await call(forgetPersonPointer, { app_id, person_id, id: pointer });
    else await call(forgetPerson, { app_id, person_id });
    return { json: { app_id, person_id, forgotten: what }, text: `forgot ${what} of ${person_id}` };
  },
});

/** `people allow-beginning APP_ID`: allows one person to begin anew, with another sub. */
const peopleAllowBeginning: Command = operationCommand(allowBeginning, {
  path: ['people', 'allow-beginning'],
  summary: 'allow one person to begin anew with an app, for somebody whose browsers and passkeys are lost',
  details: `The app sends the person to /authorize with the login_hint, which is shown once and works for one sign-in. The wallet is
asked for a proof of another action, so that the person gets a new sub. The former sub stays with whoever can still prove it:
what becomes of it is up to the app, which must know by other means that this is the same person.`,
  arguments: { app_id: APP },
  members: {
    ttl_seconds: {
      flags: '--expires-in <time>',
      description: 'how long the permission can be used, e.g. 30m, 24h, 7d; 24h if absent',
      read: (text) => (durationMs('expires-in', text) ?? 0) / 1000,
    },
  },
  show: (made) => ({
    json: made,
    text: `login_hint  ${made.login_hint}\nnumber      ${made.number}\nends        ${made.expires_at}\n\nPass the login_hint on now: it is not shown again.`,
  }),
});

/** Returns the `person_id` that the options name. @throws ServiceError `cli.usage` */
function personIdOf(input: CommandInput): string {
  const [sub, person] = [input.option('sub'), input.option('person')];
  if ((sub === undefined) === (person === undefined)) {
    throw new ServiceError('cli.usage', 'expected either --sub or --person');
  }
  if (person !== undefined) return person;
  const bytes = sub !== undefined && SUB.test(sub) ? decodeWord(sub) : undefined;
  if (bytes === undefined) throw new ServiceError('cli.usage', '--sub: expected 0x and 64 hex digits');
  return Buffer.from(personHashOf(bytes)).toString('hex');
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [peopleList, peopleShow, peopleForget, peopleAllowBeginning];
