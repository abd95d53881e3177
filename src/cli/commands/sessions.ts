import { ServiceError } from '../../errors/service-error.ts';
import { APP_OPERATIONS } from '../../operations/apps.ts';
import { SESSION_OPERATIONS } from '../../operations/sessions.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, YES_OPTION } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listSessions, revokeSessionOfAnyApp, revokeSessions } = SESSION_OPERATIONS;

const MAX_ROWS = 1000;
const COLUMNS = {
  sid: 'sid',
  person: 'person',
  level: 'acr',
  proved: 'auth_time',
  ends: 'expires_at',
} as const;

/** `sessions list --app ID`: lists the live sessions of an app. */
const sessionsList: Command = callingCommand({
  path: ['sessions', 'list'],
  summary: 'list the sessions of people who stay signed in to an app, the latest first',
  details: `At most ${MAX_ROWS}. There are none while signin.sessionSeconds is 0.`,
  options: [{ flags: '--app <id>', description: 'app_id or rp_id', isRequired: true }],
  async run({ input, call }) {
    const sessions = await readItems(call, listSessions, { app_id: input.option('app') ?? '' }, MAX_ROWS);
    return { json: { sessions }, text: textTable(sessions, COLUMNS) };
  },
});

/** `sessions revoke SID` or `sessions revoke --app ID`: ends one session, or all of an app, after confirmation. */
const sessionsRevoke: Command = callingCommand({
  path: ['sessions', 'revoke'],
  summary: 'end a session, or all sessions of an app: people prove again at the next sign-in',
  details: 'An app with a backchannel_logout_uri is told by a running server. Tokens stay valid.',
  arguments: [{ name: 'sid', description: 'as `sessions list` shows it', isOptional: true }],
  options: [
    { flags: '--app <id>', description: 'app_id or rp_id whose sessions all end, instead of a sid' },
    YES_OPTION,
  ],
  prepare(input) {
    if ((input.optionalArgument('sid') === undefined) === (input.option('app') === undefined)) {
      throw new ServiceError('cli.usage', 'expected either the sid of a session or --app');
    }
  },
  async run({ input, context, call }) {
    const sid = input.optionalArgument('sid');
    if (sid !== undefined) {
      await context.confirm(`End the session ${sid}?`);
      await call(revokeSessionOfAnyApp, { sid });
      return { json: { revoked: 1, sid }, text: `ended ${sid}` };
    }
    const { app_id, name } = await call(APP_OPERATIONS.getApp, { app_id: input.option('app') ?? '' });
    await context.confirm(`End all sessions of app ${app_id} (${name})?`);
    const { revoked } = await call(revokeSessions, { app_id });
    return { json: { revoked, app_id }, text: `ended ${revoked} sessions of ${app_id}` };
  },
});

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [sessionsList, sessionsRevoke];
