import { createSessionOperator, type SessionOperator } from '../../oidc/logout/sign-out.ts';
import type { Store } from '../../storage/index.ts';
import { sessionJson } from '../forms/index.ts';
import type { AdminServices, Operation } from '../operation.ts';
import { appOf } from './apps.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import { APP_ID, APP_PARAMS, COUNT, EXAMPLE_APP_ID, objectSchema, TIME, textOf } from './schemas.ts';

const TAG = 'Sessions';
const PATH = '/apps/{app_id}/sessions';
const SESSION = objectSchema({
  ...{ sid: { type: 'string' }, app_id: APP_ID },
  person: {
    ...{ type: 'string', pattern: '^[0-9a-f]{8}$' },
    description: 'First digits of the SHA-256 of the sub: tells the sessions of one person.',
  },
  acr: { type: 'string', enum: ['orb', 'device'] },
  auth_time: { ...TIME, description: 'When the person proved.' },
  ...{ created_at: TIME, expires_at: TIME },
});

/** Operations of sessions; there are none while signin.sessionSeconds is 0. */
export const SESSION_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listSessions', method: 'GET', path: PATH, scope: 'read', tag: TAG },
    summary: 'Lists the sessions of people who stay signed in to an app, the latest first.',
    params: APP_PARAMS,
    query: PAGE_QUERY,
    response: { status: 200, description: 'A page of sessions.', schema: pageSchema(SESSION) },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run(services, request) {
      const { limit, after } = readPage(request, ['number', 'string']);
      const place = after && { createdAt: Number(after[0]), sid: String(after[1]) };
      const app = await appOf(services.appsOf(request.store), request);
      const rows = await operatorOf(services, request.store).page(app, limit + 1, place);
      return pageOf(rows, limit, sessionJson, ({ createdAt, sid }) => [createdAt, sid]);
    },
  },
  {
    ...{ id: 'countSessions', method: 'GET', path: '/apps/{app_id}/session-count', scope: 'read', tag: TAG },
    summary: 'Counts the sessions of people who stay signed in to an app.',
    params: APP_PARAMS,
    response: { status: 200, description: 'The number.', schema: objectSchema({ sessions: COUNT }) },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run(services, request) {
      const app = await appOf(services.appsOf(request.store), request);
      return { status: 200, body: { sessions: await operatorOf(services, request.store).count(app) } };
    },
  },
  {
    ...{ id: 'revokeSessions', method: 'DELETE', path: PATH, scope: 'write', tag: TAG },
    summary: 'Ends all sessions of an app.',
    description:
      'People prove again at the next sign-in. An app with a backchannel_logout_uri is told of each session. Tokens stay valid.',
    params: APP_PARAMS,
    response: {
      status: 200,
      description: 'How many sessions ended.',
      schema: objectSchema({ revoked: COUNT }),
    },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run(services, request) {
      const app = await appOf(services.appsOf(request.store), request);
      return { status: 200, body: { revoked: await operatorOf(services, request.store).revokeAll(app) } };
    },
  },
  {
    ...{ id: 'revokeSession', method: 'DELETE', path: `${PATH}/{sid}`, scope: 'write', tag: TAG },
    summary: 'Ends a session.',
    description: 'An app with a backchannel_logout_uri is told. Tokens stay valid.',
    params: { ...APP_PARAMS, sid: textOf(64) },
    response: { status: 204, description: 'The session has ended.' },
    errors: ['app.unknown', 'session.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID, sid: 'AAAAAAAAAAAAAAAAAAAAAA' } },
    async run(services, request) {
      const app = await appOf(services.appsOf(request.store), request);
      await operatorOf(services, request.store).revoke(request.params.sid ?? '', app);
      return { status: 204 };
    },
  },
];

function operatorOf({ config, appsOf, now }: AdminServices, store: Store): SessionOperator {
  return createSessionOperator({ config, apps: appsOf(store), store: store.sessions, now });
}
