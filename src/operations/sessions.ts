import { findApp } from '../apps/apps.ts';
import type { TypeOf } from '../json.ts';
import { createSessionOperator, type SessionOperator } from '../oidc/logout/sign-out.ts';
import { shortDigest } from '../storage/audit/audit-writer.ts';
import type { SessionRow } from '../storage/signin/sessions.ts';
import type { Store } from '../storage/store.ts';
import { isoTime } from '../text.ts';
import { type OperationServices, operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  APP_ID,
  APP_PARAMS,
  COUNT,
  EXAMPLE_APP_ID,
  LEVEL,
  ONE_APP,
  objectSchema,
  PERSON,
  TEXT,
  TIME,
  textOf,
} from './schemas.ts';

const SESSION = objectSchema({
  sid: TEXT,
  app_id: APP_ID,
  person: {
    ...PERSON,
    description: 'First digits of the SHA-256 of the sub: tells the sessions of one person.',
  },
  acr: LEVEL,
  auth_time: { ...TIME, description: 'When the person proved.' },
  created_at: TIME,
  expires_at: TIME,
});

/** Operations of sessions; there are none while signin.sessionSeconds is 0. */
export const SESSION_OPERATIONS = operations('Sessions', {
  listSessions: operation({
    at: 'GET /apps/{app_id}/sessions',
    scope: 'read',
    summary: 'Lists the sessions of people who stay signed in to an app, the latest first.',
    input: objectSchema({ ...APP_PARAMS, ...PAGE_QUERY }, ['limit', 'cursor']),
    output: pageSchema(SESSION),
    invalid: 'app.unknown',
    answer: 'A page of sessions.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run(services, { app_id, ...page }, { store }) {
      const { limit, after } = readPage(page, ['number', 'string']);
      const place = after && { createdAt: Number(after[0]), sid: String(after[1]) };
      const app = await findApp(services.appsOf(store), app_id);
      const rows = await operatorOf(services, store).page(app, limit + 1, place);
      return pageOf(rows, limit, sessionJson, ({ createdAt, sid }) => [createdAt, sid]);
    },
  }),
  countSessions: operation({
    at: 'GET /apps/{app_id}/session-count',
    scope: 'read',
    summary: 'Counts the sessions of people who stay signed in to an app.',
    input: ONE_APP,
    output: objectSchema({ sessions: COUNT }),
    answer: 'The number.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run(services, { app_id }, { store }) {
      const app = await findApp(services.appsOf(store), app_id);
      return { sessions: await operatorOf(services, store).count(app) };
    },
  }),
  revokeSessions: operation({
    at: 'DELETE /apps/{app_id}/sessions',
    scope: 'write',
    summary: 'Ends all sessions of an app.',
    description:
      'People prove again at the next sign-in. An app with a backchannel_logout_uri is told of each session. Tokens stay valid.',
    input: ONE_APP,
    output: objectSchema({ revoked: COUNT }),
    invalid: 'app.unknown',
    answer: 'How many sessions ended.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run(services, { app_id }, { store }) {
      const app = await findApp(services.appsOf(store), app_id);
      return { revoked: await operatorOf(services, store).revokeAll(app) };
    },
  }),
  revokeSession: operation({
    at: 'DELETE /apps/{app_id}/sessions/{sid}',
    scope: 'write',
    summary: 'Ends a session.',
    description: 'An app with a backchannel_logout_uri is told. Tokens stay valid.',
    input: objectSchema({ ...APP_PARAMS, sid: textOf(64) }),
    answer: 'The session has ended.',
    errors: ['app.unknown', 'session.unknown'],
    example: { app_id: EXAMPLE_APP_ID, sid: 'AAAAAAAAAAAAAAAAAAAAAA' },
    async run(services, { app_id, sid }, { store }) {
      const app = await findApp(services.appsOf(store), app_id);
      await operatorOf(services, store).revoke(sid, app);
    },
  }),
  revokeSessionOfAnyApp: operation({
    at: 'DELETE /sessions/{sid}',
    scope: 'write',
    summary: 'Ends a session, whichever app it belongs to.',
    description: 'An app with a backchannel_logout_uri is told. Tokens stay valid.',
    input: objectSchema({ sid: textOf(64) }),
    invalid: 'session.unknown',
    answer: 'The session has ended.',
    errors: ['session.unknown'],
    example: { sid: 'AAAAAAAAAAAAAAAAAAAAAA' },
    async run(services, { sid }, { store }) {
      await operatorOf(services, store).revoke(sid);
    },
  }),
});

function operatorOf({ config, appsOf, now }: OperationServices, store: Store): SessionOperator {
  return createSessionOperator({ config, apps: appsOf(store), store: store.sessions, now });
}

function sessionJson({ sid, clientId, accepted, createdAt, expiresAt }: SessionRow): TypeOf<typeof SESSION> {
  return {
    sid,
    app_id: clientId,
    person: shortDigest(accepted.sub),
    acr: accepted.level,
    auth_time: isoTime(accepted.authTime),
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  };
}
