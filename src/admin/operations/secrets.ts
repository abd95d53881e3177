import {
  DEFAULT_OVERLAP_MS,
  findApp,
  removeSecret,
  rotateSecret,
  secretJson,
  secretKeyOf,
} from '../../apps/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { AdminAnswer, Operation } from '../operation.ts';
import { APP_PARAMS, EXAMPLE_APP_ID, listOf, OPTIONAL_TIME, objectSchema, textOf } from './schemas.ts';

const TAG = 'Apps';
const MAX_OVERLAP_SECONDS = 90 * 86_400;
/** Schema of a secret as it is shown after its creation. */
export const SECRET: JsonSchema = objectSchema({
  secret_id: { type: 'string' },
  created_at: OPTIONAL_TIME,
  expires_at: { ...OPTIONAL_TIME, description: 'Null if it does not expire.' },
});

/** Operations of client secrets. */
export const SECRET_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listSecrets', method: 'GET', path: '/apps/{app_id}/secrets', scope: 'read', tag: TAG },
    summary: 'Lists the live secrets of an app, the oldest first.',
    params: APP_PARAMS,
    response: { status: 200, description: 'The secrets.', schema: objectSchema({ items: listOf(SECRET) }) },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run({ appsOf, now }, { params, store }) {
      const apps = appsOf(store);
      const { appId } = await findApp(apps, params.app_id ?? '');
      return { status: 200, body: { items: (await apps.listSecrets(appId, now())).map(secretJson) } };
    },
  },
  {
    ...{ id: 'rotateSecret', method: 'POST', path: '/apps/{app_id}/secrets', scope: 'write', tag: TAG },
    summary: 'Gives a client a new secret and lets the old one expire.',
    description:
      'The secret is shown only in this answer. A client has at most two live secrets. Running servers accept the new one within storage.cacheSeconds.',
    params: APP_PARAMS,
    body: objectSchema(
      {
        overlap_seconds: {
          ...{ type: 'integer', minimum: 0, maximum: MAX_OVERLAP_SECONDS },
          default: DEFAULT_OVERLAP_MS / 1000,
          description: 'How long the old secret stays valid.',
        },
      },
      ['overlap_seconds'],
    ),
    isIdempotent: true,
    response: {
      status: 201,
      description: 'The new secret.',
      schema: objectSchema({
        ...{ secret_id: { type: 'string' }, created_at: OPTIONAL_TIME, expires_at: OPTIONAL_TIME },
        client_secret: { type: 'string' },
      }),
    },
    errors: ['app.unknown', 'app.public', 'app.two_secrets', 'app.read_only'],
    example: { params: { app_id: EXAMPLE_APP_ID }, body: { overlap_seconds: 3600 } },
    async run({ appsOf, config, now }, { params, body, store, plan }) {
      const seconds = Number(body.overlap_seconds ?? DEFAULT_OVERLAP_MS / 1000);
      const { secret } = await rotateSecret(appsOf(store), params.app_id ?? '', {
        secretKey: () => secretKeyOf(config),
        overlapMs: seconds * 1000,
        isDevelopment: config.profile !== 'production',
        now: now(),
        beforeWrite: (made) => plan(secretAnswer(made)),
      });
      return secretAnswer(secret);
    },
  },
  {
    ...{ id: 'removeSecret', method: 'DELETE', path: '/apps/{app_id}/secrets/{secret_id}', scope: 'write' },
    tag: TAG,
    summary: 'Removes a secret; it stops working within storage.cacheSeconds.',
    params: { ...APP_PARAMS, secret_id: textOf(64) },
    response: { status: 204, description: 'The secret is removed.' },
    errors: ['app.unknown', 'app.secret_unknown', 'app.read_only'],
    example: { params: { app_id: EXAMPLE_APP_ID, secret_id: '{secret_id}' } },
    async run({ appsOf }, { params, store }) {
      await removeSecret(appsOf(store), params.app_id ?? '', params.secret_id ?? '');
      return { status: 204 };
    },
  },
];

function secretAnswer({ row, value }: Awaited<ReturnType<typeof rotateSecret>>['secret']): AdminAnswer {
  return { status: 201, body: { ...secretJson(row), client_secret: value } };
}
