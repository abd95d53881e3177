import {
  type AppChange,
  appJson,
  findApp,
  registerApp,
  registeredJson,
  removeApp,
  secretKeyOf,
  updateApp,
} from '../../apps/index.ts';
import { APP_ID, isStaging } from '../../config/apps/app-forms.ts';
import { localLogoutFaults } from '../../config/apps/check-redirect-uris.ts';
import { type FieldFault, shown } from '../../config/apps/field-rule.ts';
import { APP_FIELDS, type AppFields } from '../../config/apps/fields.ts';
import { MAX_LOGO_BYTES, readLogo } from '../../config/apps/logo.ts';
import type { JsonObject, JsonSchema } from '../../json.ts';
import type { AppRow, AppStore, Logo } from '../../storage/index.ts';
import type { AdminAnswer, AdminRequest, AdminServices, Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import { APP_PARAMS, EXAMPLE_APP_ID, listOf, OPTIONAL_TIME, objectSchema, textOf } from './schemas.ts';
import { SECRET } from './secrets.ts';

const TAG = 'Apps';
const { client_id: CLIENT_ID, ...CHANGEABLE } = schemasOf(APP_FIELDS);
const LOGO: JsonSchema = {
  ...{ type: ['string', 'null'], contentEncoding: 'base64', maxLength: Math.ceil(MAX_LOGO_BYTES / 3) * 4 },
  description: 'PNG, JPEG or WebP of at most 64 KiB, in base64; null removes it.',
};

const APP: JsonSchema = objectSchema(
  {
    app_id: CLIENT_ID,
    ...CHANGEABLE,
    response_types_named: {
      type: 'boolean',
      description:
        'Whether they were named, rather than left to a default of all six: only then a session answers other types than code without asking.',
    },
    logo: { type: 'boolean', description: 'Whether it has a logo.' },
    development: { type: 'boolean', description: 'Made outside production, which refuses to start with it.' },
    ...{ created_at: OPTIONAL_TIME, updated_at: OPTIONAL_TIME },
    version: { type: 'integer', description: 'For If-Match; 0 for an app of the configuration.' },
    secrets: { ...listOf(SECRET), description: 'Live secrets, the oldest first.' },
    client_secret: { type: 'string', description: 'The first secret; shown only in this answer.' },
  },
  ['secrets', 'client_secret'],
);

/** Operations of apps. */
export const APP_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listApps', method: 'GET', path: '/apps', scope: 'read', tag: TAG },
    summary: 'Lists the apps, the latest first; those of the configuration come last.',
    query: {
      ...PAGE_QUERY,
      search: {
        ...textOf(64),
        description: 'Only apps whose app_id, rp_id or name contains this text, in either case.',
      },
    },
    response: { status: 200, description: 'A page of apps.', schema: pageSchema(APP) },
    errors: [],
    example: {},
    async run(services, request) {
      const { limit, after } = readPage(request, ['number', 'string']);
      const search = request.query.search === undefined ? undefined : String(request.query.search);
      const place = after && { createdAt: Number(after[0]), appId: String(after[1]) };
      const rows = await services.appsOf(request.store).page(limit + 1, search, place);
      return pageOf(rows, limit, appJson, ({ createdAt, appId }) => [createdAt, appId]);
    },
  },
  {
    ...{ id: 'createApp', method: 'POST', path: '/apps', scope: 'write', tag: TAG },
    summary: 'Registers an app; with redirect URIs it is also a client of sign-in.',
    description:
      'An app that has redirect URIs and is not public gets a client secret, which is shown only in this answer.',
    body: objectSchema(
      {
        app_id: CLIENT_ID,
        ...CHANGEABLE,
        staging: { type: 'boolean', description: 'Whether a generated app_id selects the staging trees.' },
        logo: { ...LOGO, type: 'string' },
      },
      ['app_id', ...Object.keys(CHANGEABLE), 'staging', 'logo'],
    ),
    ownChecks: ['app_id', ...Object.keys(CHANGEABLE), 'logo'],
    isIdempotent: true,
    response: { status: 201, description: 'The app.', schema: APP },
    errors: ['app.invalid', 'app.exists', 'app.rp_id_taken'],
    example: {
      body: { app_id: EXAMPLE_APP_ID, name: 'Shop', redirect_uris: ['https://shop.example/callback'] },
    },
    async run(services, request) {
      const { app_id, staging, logo, ...fields } = request.body;
      const { config } = services;
      const id = idOf(app_id);
      const reading = logoOf(logo);
      const registered = await registerApp(
        services.appsOf(request.store),
        {
          fields: { ...fields, ...id.fields } as AppFields,
          isStaging: staging === true || id.isStaging,
          isDevelopment: config.profile !== 'production',
          ...reading,
          faults: [...id.faults, ...reading.faults, ...logoutFaultsOf(request, services)],
        },
        () => secretKeyOf(config),
        services.now(),
        (created) => request.plan(createdAnswer(created)),
      );
      return createdAnswer(registered);
    },
  },
  {
    ...{ id: 'getApp', method: 'GET', path: '/apps/{app_id}', scope: 'read', tag: TAG },
    summary: 'Returns an app with the ids of its secrets.',
    params: APP_PARAMS,
    response: { status: 200, description: 'The app.', schema: APP },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run(services, request) {
      const apps = services.appsOf(request.store);
      return await appAnswer(await appOf(apps, request), apps, services);
    },
  },
  {
    ...{ id: 'updateApp', method: 'PATCH', path: '/apps/{app_id}', scope: 'write', tag: TAG },
    summary: 'Changes members of an app; running servers follow within storage.cacheSeconds.',
    params: APP_PARAMS,
    body: {
      ...objectSchema({ ...CHANGEABLE, logo: LOGO }, [...Object.keys(CHANGEABLE), 'logo']),
      minProperties: 1,
    },
    ownChecks: [...Object.keys(CHANGEABLE), 'logo'],
    isVersioned: true,
    response: { status: 200, description: 'The changed app.', schema: APP },
    errors: ['app.unknown', 'app.invalid', 'app.read_only', 'app.changed', 'app.rp_id_taken'],
    example: { params: { app_id: EXAMPLE_APP_ID }, body: { name: 'Shop of the example' } },
    async run(services, request) {
      const apps = services.appsOf(request.store);
      const { logo, ...fields } = request.body;
      const reading = logo === null ? { logo, faults: [] } : logoOf(logo);
      const faults = [...reading.faults, ...logoutFaultsOf(request, services)];
      const change = { ...fields, ...reading, faults } as AppChange;
      const id = appIdOf(request);
      const app = await updateApp(apps, id, change, services.now(), request.version);
      return await appAnswer(app, apps, services);
    },
  },
  {
    ...{ id: 'deleteApp', method: 'DELETE', path: '/apps/{app_id}', scope: 'write', tag: TAG },
    summary: 'Removes an app with its secrets. Recorded nullifiers stay.',
    params: APP_PARAMS,
    isVersioned: true,
    response: { status: 204, description: 'The app is removed.' },
    errors: ['app.unknown', 'app.read_only', 'app.changed'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run({ appsOf }, request) {
      await removeApp(appsOf(request.store), appIdOf(request), request.version);
      return { status: 204 };
    },
  },
];

/** Returns the parameter `app_id` of a request. */
export function appIdOf({ params }: Pick<AdminRequest, 'params'>): string {
  return params.app_id ?? '';
}

/** Looks up the app of a request. @throws ServiceError `app.unknown` */
export function appOf(
  apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>,
  request: Pick<AdminRequest, 'params'>,
): Promise<AppRow> {
  return findApp(apps, appIdOf(request));
}

async function appAnswer(
  app: AppRow,
  apps: Pick<AppStore, 'listSecrets'>,
  { now }: Pick<AdminServices, 'now'>,
): Promise<AdminAnswer> {
  const shown = appJson(app, await apps.listSecrets(app.appId, now()));
  return { status: 200, body: shown, version: shown.version };
}

function createdAnswer(registered: Parameters<typeof registeredJson>[0]): AdminAnswer {
  const shown = registeredJson(registered);
  return { status: 201, body: shown, version: shown.version };
}

/** Reads the app_id that a new app is to have; a wrong one is a fault under the name that it has in the request. */
function idOf(given: JsonObject[string]): {
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

function logoOf(given: JsonObject[string]): { readonly logo?: Logo; readonly faults: readonly FieldFault[] } {
  if (given === undefined) return { faults: [] };
  const reading =
    typeof given === 'string' ? readLogo(Buffer.from(given, 'base64')) : { fault: 'expected base64' };
  if ('fault' in reading) return { faults: [{ field: 'logo', text: reading.fault }] };
  return { logo: reading, faults: [] };
}

function logoutFaultsOf({ body }: AdminRequest, { config }: AdminServices): FieldFault[] {
  return localLogoutFaults(body.backchannel_logout_uri, config.signin.allowLocalLogout);
}

function schemasOf<K extends string>(
  fields: Readonly<Record<K, { readonly schema: JsonSchema }>>,
): Record<K, JsonSchema> {
  const entries = Object.entries(fields) as [K, { readonly schema: JsonSchema }][];
  return Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])) as Record<K, JsonSchema>;
}
