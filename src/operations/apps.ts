import { type AppChange, findApp, type Registered, registerApp, removeApp, updateApp } from '../apps/apps.ts';
import { secretKeyOf } from '../apps/secrets/secrets.ts';
import { appJson, registeredJson, type ShownApp } from '../apps/show-app.ts';
import { APP_ID, isStaging } from '../config/apps/app-forms.ts';
import { localLogoutFaults } from '../config/apps/check-redirect-uris.ts';
import { clientWarnings } from '../config/apps/client-warnings.ts';
import { type FieldFault, shown } from '../config/apps/field-rule.ts';
import { APP_FIELDS, type AppFields } from '../config/apps/fields.ts';
import { readLogo } from '../config/apps/logo.ts';
import type { Typed } from '../json.ts';
import type { AppRow, AppStore, Logo } from '../storage/apps/apps.ts';
import { CHANGEABLE, CHANGEABLE_FIELDS, CREATE_APP_INPUT, UPDATE_APP_INPUT } from './app-input.ts';
import { type OperationServices, operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  EXAMPLE_APP_ID,
  INTEGER,
  listOf,
  ONE_APP,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  textOf,
} from './schemas.ts';
import { SECRET } from './secrets.ts';

/** Schemas of the fields of an app in an answer, in which every field has a value. */
type ShownSchemas = { readonly [K in keyof typeof CHANGEABLE]: Typed<ShownApp[K]> };

const APP = objectSchema(
  {
    app_id: CREATE_APP_INPUT.properties.app_id,
    ...(CHANGEABLE as ShownSchemas),
    response_types_named: {
      type: 'boolean',
      description:
        'Whether they were named, rather than left to a default of all six: only then a session answers other types than code without asking.',
    },
    logo: { type: 'boolean', description: 'Whether it has a logo.' },
    development: { type: 'boolean', description: 'Made outside production, which refuses to start with it.' },
    created_at: OPTIONAL_TIME,
    updated_at: OPTIONAL_TIME,
    version: { ...INTEGER, description: 'For If-Match; 0 for an app of the configuration.' },
    secrets: { ...listOf(SECRET), description: 'Live secrets, the oldest first.' },
    client_secret: { ...TEXT, description: 'The first secret; shown only in this answer.' },
    warnings: {
      ...listOf(TEXT),
      description: 'What the operator should know about the change; absent if there is nothing.',
    },
  },
  ['secrets', 'client_secret', 'warnings'],
);

/** Operations of apps. */
export const APP_OPERATIONS = operations('Apps', {
  listApps: operation({
    at: 'GET /apps',
    scope: 'read',
    summary: 'Lists the apps, the latest first; those of the configuration come last.',
    input: objectSchema(
      {
        ...PAGE_QUERY,
        search: {
          ...textOf(64),
          description: 'Only apps whose app_id, rp_id or name contains this text, in either case.',
        },
      },
      ['limit', 'cursor', 'search'],
    ),
    output: pageSchema(APP),
    answer: 'A page of apps.',
    async run({ appsOf }, { search, ...page }, { store }) {
      const { limit, after } = readPage(page, ['number', 'string']);
      const place = after && { createdAt: Number(after[0]), appId: String(after[1]) };
      const rows = await appsOf(store).page(limit + 1, search, place);
      return pageOf(
        rows,
        limit,
        (app) => appJson(app),
        ({ createdAt, appId }) => [createdAt, appId],
      );
    },
  }),
  createApp: operation({
    at: 'POST /apps',
    scope: 'write',
    summary: 'Registers an app; with redirect URIs it is also a client of sign-in.',
    description:
      'An app that has redirect URIs and is not public gets a client secret, which is shown only in this answer.',
    input: CREATE_APP_INPUT,
    output: APP,
    status: 201,
    answer: 'The app.',
    ownChecks: ['app_id', ...CHANGEABLE_FIELDS, 'logo', 'client_secret'],
    isIdempotent: true,
    errors: ['app.invalid', 'app.exists', 'app.rp_id_taken'],
    example: { app_id: EXAMPLE_APP_ID, name: 'Shop', redirect_uris: ['https://shop.example/callback'] },
    async run({ appsOf, config, now }, { app_id, staging, logo, client_secret, ...fields }, { store, plan }) {
      const id = idOf(app_id);
      const reading = logoOf(logo);
      const apps = appsOf(store);
      const answerOf = async (registered: Registered) => ({
        ...registeredJson(registered),
        ...(await warningsOf(registered.app, apps)),
      });
      const registered = await registerApp(
        apps,
        {
          fields: { ...fields, ...id.fields },
          isStaging: staging === true || id.isStaging,
          isDevelopment: config.profile !== 'production',
          emailForm: config.signin.emailForm,
          ...reading,
          ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
          faults: [...id.faults, ...reading.faults, ...logoutFaultsOf(fields, config)],
        },
        () => secretKeyOf(config),
        now(),
        async (created) => plan(await answerOf(created)),
      );
      return await answerOf(registered);
    },
  }),
  getApp: operation({
    at: 'GET /apps/{app_id}',
    scope: 'read',
    summary: 'Returns an app with the ids of its secrets.',
    input: ONE_APP,
    output: APP,
    invalid: 'app.unknown',
    answer: 'The app.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, now }, { app_id }, { store }) {
      const apps = appsOf(store);
      return await withSecrets(await findApp(apps, app_id), apps, now());
    },
  }),
  updateApp: operation({
    at: 'PATCH /apps/{app_id}',
    scope: 'write',
    summary: 'Changes members of an app; running servers follow within storage.cacheSeconds.',
    input: UPDATE_APP_INPUT,
    output: APP,
    invalid: 'app.unknown',
    answer: 'The changed app.',
    ownChecks: [...CHANGEABLE_FIELDS, 'logo'],
    bodyRules: { minProperties: 1 },
    isVersioned: true,
    errors: ['app.unknown', 'app.invalid', 'app.read_only', 'app.changed', 'app.rp_id_taken'],
    example: { app_id: EXAMPLE_APP_ID, name: 'Shop of the example' },
    async run({ appsOf, config, now }, { app_id, logo, ...fields }, { store, version }) {
      const apps = appsOf(store);
      const reading = logo === null ? { logo, faults: [] } : logoOf(logo);
      const faults = [...reading.faults, ...logoutFaultsOf(fields, config)];
      const change: AppChange = { ...fields, ...reading, faults };
      const before = await findApp(apps, app_id);
      const app = await updateApp(apps, app_id, change, now(), version);
      const moved = before.client.emailForm === app.client.emailForm ? [] : [NEW_ADDRESSES];
      return { ...(await withSecrets(app, apps, now())), ...(await warningsOf(app, apps, moved)) };
    },
  }),
  deleteApp: operation({
    at: 'DELETE /apps/{app_id}',
    scope: 'write',
    summary: 'Removes an app with its secrets. Recorded nullifiers stay.',
    input: ONE_APP,
    invalid: 'app.unknown',
    answer: 'The app is removed.',
    isVersioned: true,
    errors: ['app.unknown', 'app.read_only', 'app.changed'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf }, { app_id }, { store, version }) {
      await removeApp(appsOf(store), app_id, version);
    },
  }),
});

async function withSecrets(app: AppRow, apps: Pick<AppStore, 'listSecrets'>, now: number): Promise<ShownApp> {
  return appJson(app, await apps.listSecrets(app.appId, now));
}

const NEW_ADDRESSES =
  'email_form: each person of the app has another e-mail address from now on; a relying party that finds accounts by it takes them for new people';

/** Returns the member with the warnings about an app, if there are any. */
async function warningsOf(
  { client }: AppRow,
  apps: Pick<AppStore, 'findByAppId'>,
  ofChange: readonly string[] = [],
): Promise<{ readonly warnings?: readonly string[] }> {
  const owners = await Promise.all(
    client.introspects.map(async (id) => ((await apps.findByAppId(id)) === undefined ? [id] : [])),
  );
  const unknown = owners.flat().map((id) => `introspects: there is no app ${id} yet`);
  const warnings = [...ofChange, ...clientWarnings(client), ...unknown];
  return warnings.length === 0 ? {} : { warnings };
}

/** Reads the app_id for a new app; an invalid one is a fault under its name in the request. */
function idOf(given: unknown): {
  readonly fields: Pick<AppFields, 'client_id'>;
  /** Whether it selects the staging trees, so that the other fields are checked by their rules. */
  readonly isStaging: boolean;
  readonly faults: readonly FieldFault[];
} {
  if (given === undefined) return { fields: {}, isStaging: false, faults: [] };
  const id = String(given);
  if (typeof given === 'string' && APP_ID.test(id)) {
    return { fields: { client_id: id }, isStaging: isStaging(id), faults: [] };
  }
  const text = `expected ${APP_FIELDS.client_id.expected}, got ${shown(given)}`;
  return { fields: {}, isStaging: isStaging(id), faults: [{ field: 'app_id', text }] };
}

function logoOf(given: unknown): { readonly logo?: Logo; readonly faults: readonly FieldFault[] } {
  if (given === undefined) return { faults: [] };
  const reading =
    typeof given === 'string' ? readLogo(Buffer.from(given, 'base64')) : { fault: 'expected base64' };
  if ('fault' in reading) return { faults: [{ field: 'logo', text: reading.fault }] };
  return { logo: reading, faults: [] };
}

function logoutFaultsOf(
  { backchannel_logout_uri }: AppFields,
  { signin }: OperationServices['config'],
): FieldFault[] {
  return localLogoutFaults(backchannel_logout_uri, signin.allowLocalLogout);
}
