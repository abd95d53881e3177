import { findApp } from '../apps/apps.ts';
import { DEFAULT_OVERLAP_MS, removeSecret, rotateSecret } from '../apps/secrets/rotate-secret.ts';
import { secretKeyOf } from '../apps/secrets/secrets.ts';
import { secretJson } from '../apps/show-app.ts';
import { operation, operations } from './operation.ts';
import {
  APP_PARAMS,
  EXAMPLE_APP_ID,
  listOf,
  ONE_APP,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  textOf,
} from './schemas.ts';

const MAX_OVERLAP_SECONDS = 90 * 86_400;
/** Schema of a secret for display after its creation. */
export const SECRET = objectSchema({
  secret_id: TEXT,
  created_at: OPTIONAL_TIME,
  expires_at: { ...OPTIONAL_TIME, description: 'Null if it does not expire.' },
});

/** Operations of client secrets. */
export const SECRET_OPERATIONS = operations('Apps', {
  listSecrets: operation({
    at: 'GET /apps/{app_id}/secrets',
    scope: 'read',
    summary: 'Lists the live secrets of an app, the oldest first.',
    input: ONE_APP,
    output: objectSchema({ items: listOf(SECRET) }),
    answer: 'The secrets.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, now }, { app_id }, { store }) {
      const apps = appsOf(store);
      const { appId } = await findApp(apps, app_id);
      return { items: (await apps.listSecrets(appId, now())).map(secretJson) };
    },
  }),
  rotateSecret: operation({
    at: 'POST /apps/{app_id}/secrets',
    scope: 'write',
    summary: 'Gives a client a new secret and lets the old one expire.',
    description:
      'The secret is shown only in this answer. A client has at most two live secrets. Running servers accept the new one within storage.cacheSeconds.',
    input: objectSchema(
      {
        ...APP_PARAMS,
        overlap_seconds: {
          type: 'integer',
          minimum: 0,
          maximum: MAX_OVERLAP_SECONDS,
          default: DEFAULT_OVERLAP_MS / 1000,
          description: 'How long the old secret stays valid.',
        },
      },
      ['overlap_seconds'],
    ),
    output: objectSchema({
      secret_id: TEXT,
      created_at: OPTIONAL_TIME,
      expires_at: OPTIONAL_TIME,
      client_secret: TEXT,
    }),
    status: 201,
    invalid: 'app.unknown',
    answer: 'The new secret.',
    isIdempotent: true,
    errors: ['app.unknown', 'app.public', 'app.two_secrets', 'app.read_only'],
    example: { app_id: EXAMPLE_APP_ID, overlap_seconds: 3600 },
    async run({ appsOf, config, now }, { app_id, overlap_seconds }, { store, plan }) {
      const { secret } = await rotateSecret(appsOf(store), app_id, {
        secretKey: () => secretKeyOf(config),
        overlapMs: overlap_seconds === undefined ? DEFAULT_OVERLAP_MS : overlap_seconds * 1000,
        isDevelopment: config.profile !== 'production',
        now: now(),
        beforeWrite: (made) => plan(newSecretJson(made)),
      });
      return newSecretJson(secret);
    },
  }),
  removeSecret: operation({
    at: 'DELETE /apps/{app_id}/secrets/{secret_id}',
    scope: 'write',
    summary: 'Removes a secret; it stops working within storage.cacheSeconds.',
    input: objectSchema({ ...APP_PARAMS, secret_id: textOf(64) }),
    invalid: 'app.secret_unknown',
    answer: 'The secret is removed.',
    errors: ['app.unknown', 'app.secret_unknown', 'app.read_only'],
    example: { app_id: EXAMPLE_APP_ID, secret_id: '{secret_id}' },
    async run({ appsOf }, { app_id, secret_id }, { store }) {
      await removeSecret(appsOf(store), app_id, secret_id);
    },
  }),
});

function newSecretJson({ row, value }: Awaited<ReturnType<typeof rotateSecret>>['secret']) {
  return { ...secretJson(row), client_secret: value };
}
