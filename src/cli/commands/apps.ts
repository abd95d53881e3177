import type { ShownApp, ShownSecret } from '../../apps/show-app.ts';
import { clientOf, needsSecret } from '../../config/apps/client-of.ts';
import { shown } from '../../config/apps/field-rule.ts';
import { readLogo } from '../../config/apps/logo.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { APP_OPERATIONS } from '../../operations/apps.ts';
import { SECRET_OPERATIONS } from '../../operations/secrets.ts';
import { messageOf } from '../../text.ts';
import { durationMs } from '../input/duration.ts';
import { readInput, readText } from '../input/input-file.ts';
import { readItems } from '../operations/call-operation.ts';
import {
  callingCommand,
  type MemberOptions,
  operationCommand,
  optionsOf,
  type Shown,
  YES_OPTION,
} from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command, CommandContext, CommandInput } from '../program/command.ts';

const { listApps, createApp, getApp, updateApp, deleteApp } = APP_OPERATIONS;
const { rotateSecret, removeSecret } = SECRET_OPERATIONS;

// Above the largest logo and any secret, so that a larger file is refused without reading all of it.
const MAX_FILE_BYTES = 128 * 1024;
const ID = { name: 'id', description: 'app_id or rp_id' } as const;

/** Options of fields whose names are longer than those of their options, or whose values are read from text. */
const FIELD_OPTIONS: MemberOptions = {
  redirect_uris: { flags: '--redirect-uri <uri>' },
  response_types: { flags: '--response-types <list>', read: readResponseTypes },
  token_endpoint_auth_method: { flags: '--auth-method <method>' },
  require_pushed_authorization_requests: { flags: '--require-par' },
  dpop_bound_access_tokens: { flags: '--dpop' },
  allowed_origins: { flags: '--allowed-origin <origin>' },
  introspects: { flags: '--introspects <client>' },
  post_logout_redirect_uris: { flags: '--post-logout-redirect-uri <uri>' },
  policy: { flags: '--policy <json>', read: readPolicy },
  logo: {
    flags: '--logo <file>',
    description: 'PNG, JPEG or WebP of at most 64 KiB.',
    read: readLogoFile,
  },
  client_secret: { flags: '--client-secret-file <file>', read: readSecretFile },
};

const NEW_APP = optionsOf(createApp.input, FIELD_OPTIONS);

/** `apps add`: registers an app; with redirect URIs it is also a client of sign-in. */
const appsAdd: Command = callingCommand({
  path: ['apps', 'add'],
  summary: 'add an app, active and registered for verification; with redirect URIs also for sign-in',
  details: `An app with redirect URIs that is not public gets a client secret, which is shown once and never again.
An app made outside the production profile is marked; production does not start while it exists.
To migrate an app from another service, pass --app-id and, if it has one, --client-secret-file.`,
  options: [
    ...NEW_APP.options,
    { flags: '--public', description: 'an app that cannot keep a secret: --auth-method none' },
    { flags: '--native', description: 'an installed app: --application-type native' },
  ],
  async prepare(input, context) {
    if (input.has('staging') && input.option('appId') !== undefined) {
      throw new ServiceError('cli.usage', '--staging generates an id: pass either --staging or --app-id');
    }
    either(input, 'public', 'none', 'authMethod');
    either(input, 'native', 'native', 'applicationType');
    return {
      ...(await NEW_APP.read(input, context)),
      ...(input.has('public') ? { token_endpoint_auth_method: 'none' as const } : {}),
      ...(input.has('native') ? { application_type: 'native' as const } : {}),
    };
  },
  async run({ call, context }, fields) {
    const app = await call(createApp, fields);
    const { client_secret, ...shownApp } = app;
    noteWarnings(app, context);
    const secret = client_secret === undefined ? '' : `\n${newSecretText(client_secret)}`;
    return { json: app, text: `${appText(shownApp)}${secret}` };
  },
});

/** `apps list`: lists every app of the registry and of the configuration. */
const appsList: Command = callingCommand({
  path: ['apps', 'list'],
  summary: 'list the apps',
  async run({ call }) {
    // The operation has the latest first.
    const apps = (await readItems(call, listApps, {})).reverse();
    const text = textTable(apps, {
      app_id: 'app_id',
      rp_id: 'rp_id',
      status: 'status',
      verification: 'verification',
      'sign-in': signInOf,
      name: 'name',
    });
    return { json: { apps }, text };
  },
});

/** `apps show ID`: shows one app with its live secrets. */
const appsShow: Command = operationCommand(getApp, {
  path: ['apps', 'show'],
  summary: 'show one app, with the ids of its secrets',
  arguments: { app_id: ID },
  show: showApp,
});

/** An app in the answer to its change. */
type ChangedApp = ShownApp & { readonly warnings?: readonly string[] };

/** Lists of an app to which `apps update` adds, and from which it removes. */
const LISTS = [
  { field: 'redirect_uris', word: 'redirect-uri', value: 'uri', noun: 'a URI' },
  { field: 'post_logout_redirect_uris', word: 'post-logout-redirect-uri', value: 'uri', noun: 'a URI' },
  { field: 'allowed_origins', word: 'allowed-origin', value: 'origin', noun: 'an origin' },
  { field: 'introspects', word: 'introspects', value: 'client', noun: 'a client' },
] as const;

const CHANGES = optionsOf(updateApp.input, {
  ...FIELD_OPTIONS,
  app_id: null,
  ...Object.fromEntries(LISTS.map(({ field }) => [field, null])),
  introspects: {
    flags: '--introspects <client>',
    description: 'Clients whose tokens the app may introspect, in place of those before.',
  },
});

/** `apps update ID`: changes an app. */
const appsUpdate: Command = callingCommand({
  path: ['apps', 'update'],
  summary: 'change an app; running servers see it within storage.cacheSeconds',
  arguments: [ID],
  options: [
    ...CHANGES.options,
    ...LISTS.flatMap(({ field, word, value, noun }) =>
      (['add', 'remove'] as const).map((verb) => ({
        flags: `--${verb}-${word} <${value}>`,
        description: `${verb} ${noun} of ${field}; may be given several times`,
        isRepeatable: true as const,
      })),
    ),
  ],
  async prepare(input, context) {
    const isGiven =
      CHANGES.isGiven(input) || LISTS.some(({ word }) => Object.keys(changesOf(input, word)).length > 0);
    if (!isGiven) throw new ServiceError('cli.usage', 'nothing to change: pass --name or another option');
    if (
      input.options('introspects') !== undefined &&
      Object.keys(changesOf(input, 'introspects')).length > 0
    ) {
      const text = 'pass either --introspects, or --add-introspects and --remove-introspects';
      throw new ServiceError('cli.usage', text);
    }
    return await CHANGES.read(input, context);
  },
  async run({ input, context, call }, fields) {
    const before = await call(getApp, { app_id: input.argument('id') });
    const lists = LISTS.flatMap((list) => {
      const { field, word } = list;
      const { added, removed } = changesOf(input, word);
      return added === undefined && removed === undefined
        ? []
        : [[field, changedList(list, before[field], added, removed)]];
    });
    const { app_id, version } = before;
    const app = await call(updateApp, { app_id, ...fields, ...Object.fromEntries(lists) }, { version });
    noteWarnings(app, context);
    if (needsSecret(clientOf(app)) && app.secrets?.length === 0) {
      context.note(`the app has no client secret yet: run proofgate apps rotate-secret ${app_id}`);
    }
    return showApp(app);
  },
});

/** `apps enable ID`: enables an app. */
const appsEnable: Command = statusCommand('active', 'let an app verify and sign people in again');

/** `apps disable ID`: disables an app. */
const appsDisable: Command = statusCommand(
  'disabled',
  'refuse the requests of an app and end its tokens, without removing it',
);

function statusCommand(status: ShownApp['status'], summary: string): Command {
  return callingCommand({
    path: ['apps', status === 'active' ? 'enable' : 'disable'],
    summary,
    arguments: [ID],
    async run({ input, call }) {
      const { app_id, version } = await call(getApp, { app_id: input.argument('id') });
      const { secrets: _, ...app } = await call(updateApp, { app_id, status }, { version });
      return showApp(app);
    },
  });
}

/** `apps remove ID`: removes an app after confirmation. */
const appsRemove: Command = callingCommand({
  path: ['apps', 'remove'],
  summary: 'remove an app with its secrets and tokens; its nullifiers stay recorded',
  arguments: [ID],
  options: [YES_OPTION],
  async run({ input, context, call }) {
    const { secrets: _, ...app } = await call(getApp, { app_id: input.argument('id') });
    const { app_id, name, version } = app;
    await context.confirm(`Remove app ${app_id} (${name})?`);
    await call(deleteApp, { app_id }, { version });
    return { json: { removed: app }, text: `removed ${app_id}` };
  },
});

/** `apps rotate-secret ID`: adds a new secret and lets the one in use expire. */
const appsRotateSecret: Command = operationCommand(rotateSecret, {
  path: ['apps', 'rotate-secret'],
  summary: 'give a client a new secret and let the old one expire',
  details: `The new secret is shown once and never again; running servers accept it within storage.cacheSeconds.
A client has at most two live secrets.`,
  arguments: { app_id: ID },
  members: {
    overlap_seconds: {
      flags: '--overlap <time>',
      description: 'how long the old secret stays valid, e.g. 90s, 30m, 24h, 7d; 24h if absent',
      read: (text) => (durationMs('overlap', text) ?? 0) / 1000,
    },
  },
  async show({ secret_id, client_secret }, { app_id }, { call, context }) {
    try {
      const app = await call(getApp, { app_id });
      return {
        json: { ...app, secret_id, client_secret },
        text: `${appText(app)}\n${newSecretText(client_secret)}`,
      };
    } catch (error) {
      // The secret exists, and nothing shows it again.
      context.note(`warning: the app could not be read afterwards: ${messageOf(error)}`);
      return { json: { secret_id, client_secret }, text: newSecretText(client_secret) };
    }
  },
});

/** `apps remove-secret ID SECRET_ID`: removes a secret immediately, after confirmation. */
const appsRemoveSecret: Command = operationCommand(removeSecret, {
  path: ['apps', 'remove-secret'],
  summary: 'remove a client secret immediately; running servers follow within storage.cacheSeconds',
  arguments: {
    app_id: ID,
    secret_id: { name: 'secret-id', description: 'as `apps show` lists it' },
  },
  async confirm({ app_id: id, secret_id }, { call }) {
    const { app_id, name } = await call(getApp, { app_id: id });
    return `Remove secret ${secret_id} of app ${app_id} (${name})?`;
  },
  show: async (_output, { app_id }, { call }) => showApp(await call(getApp, { app_id })),
});

/** Reads a switch that is short for one value of an option; both may be given when they agree. */
function either(input: CommandInput, name: string, meaning: string, option: string): void {
  const value = input.option(option);
  if (input.has(name) && value !== undefined && value !== meaning) {
    throw new ServiceError('cli.usage', `--${name} means ${meaning}, but ${value} was given too`);
  }
}

/** Reads response types, separated by commas; the words of a type may be in any order. */
function readResponseTypes(text: string): string[] {
  return text.split(',').map((type) => type.trim().split(/ +/).sort().join(' '));
}

/** Reads a policy, whose value the registry checks. @throws ServiceError `app.invalid` */
function readPolicy(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = `policy: expected JSON, such as '{"environments":["production"]}', got ${shown(text)}`;
    throw new ServiceError('app.invalid', message, { path: 'policy' });
  }
}

/** Reads an image, in base64 as requests have it. @throws ServiceError `cli.usage`, `app.invalid` */
async function readLogoFile(path: string, context: CommandContext): Promise<string> {
  const bytes = await readInput(path, MAX_FILE_BYTES, context);
  const logo = readLogo(bytes);
  if (!('fault' in logo)) return bytes.toString('base64');
  throw new ServiceError('app.invalid', `logo: ${path}: ${logo.fault}`, { path: 'logo' });
}

/** Reads a secret. It is never an option itself: every user of a machine can see the arguments of a process. */
async function readSecretFile(path: string, context: CommandContext): Promise<string> {
  return (await readText(path, MAX_FILE_BYTES, context)).trim();
}

function changesOf(
  input: CommandInput,
  word: string,
): { readonly added?: readonly string[]; readonly removed?: readonly string[] } {
  const name = word.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const [added, removed] = [input.options(`add${name}`), input.options(`remove${name}`)];
  return { ...(added === undefined ? {} : { added }), ...(removed === undefined ? {} : { removed }) };
}

/** Returns a list of an app with its changes. @throws ServiceError `app.invalid` */
function changedList(
  { field, noun }: Pick<(typeof LISTS)[number], 'field' | 'noun'>,
  values: readonly string[],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): string[] {
  const absent = removed.find((value) => !values.includes(value));
  if (absent !== undefined) {
    const message = `${field}: ${JSON.stringify(absent)} is not ${noun} of the app, so it cannot be removed`;
    throw new ServiceError('app.invalid', message, { path: field });
  }
  return [...values.filter((value) => !removed.includes(value)), ...added];
}

/** Members that every app has; the others are those of a client of sign-in. */
const MEMBERS_OF_ALL = new Set([
  'app_id',
  'rp_id',
  'name',
  'status',
  'verification',
  'development',
  'created_at',
  'updated_at',
]);
const MEMBER_WIDTH = 37;

function noteWarnings({ warnings = [] }: ChangedApp, context: CommandContext): void {
  for (const text of warnings) context.note(`warning: ${text}`);
}

function showApp(app: ShownApp): Shown {
  return { json: app, text: appText(app) };
}

/** Formats an app as text, one member per line; without redirect URIs, members of sign-in are left out. */
function appText(app: ChangedApp): string {
  const {
    secrets = [],
    redirect_uris,
    response_types,
    response_types_named,
    post_logout_redirect_uris,
    allowed_origins,
    introspects,
    backchannel_logout_uri,
    policy,
    version: _,
    warnings: _warnings,
    ...members
  } = app;
  const isClient = redirect_uris.length + introspects.length > 0;
  const lines = Object.entries(members)
    .filter(([member]) => isClient || MEMBERS_OF_ALL.has(member))
    .map(([member, value]) => line(member, String(value ?? 'by the configuration')));
  lines.push(line('policy', JSON.stringify(policy)));
  const origin = response_types_named ? '' : ' (by default: a session answers code alone)';
  if (isClient) lines.push(line('response_types', response_types.join(', ') + origin));
  lines.push(...redirect_uris.map((uri) => line('redirect_uri', uri)));
  lines.push(...post_logout_redirect_uris.map((uri) => line('post_logout_redirect_uri', uri)));
  lines.push(...allowed_origins.map((origin) => line('allowed_origin', origin)));
  lines.push(...introspects.map((client) => line('introspects', client)));
  if (backchannel_logout_uri !== null) lines.push(line('backchannel_logout_uri', backchannel_logout_uri));
  lines.push(...secrets.map((secret) => line('secret', secretText(secret))));
  return lines.join('\n');
}

function newSecretText(value: string): string {
  return `${line('client_secret', value)}\n\nSave the client secret now: it is not shown again.`;
}

function line(member: string, value: string): string {
  return `${member.padEnd(MEMBER_WIDTH)}  ${value}`;
}

function secretText({ secret_id, created_at, expires_at }: ShownSecret): string {
  const made = created_at === null ? 'by the configuration' : `made ${created_at}`;
  return `${secret_id}  ${made}${expires_at === null ? '' : `, ends ${expires_at}`}`;
}

function signInOf({ redirect_uris, token_endpoint_auth_method }: ShownApp): string {
  if (redirect_uris.length === 0) return 'no';
  return token_endpoint_auth_method === 'none' ? 'public' : 'confidential';
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  appsAdd,
  appsList,
  appsShow,
  appsUpdate,
  appsRotateSecret,
  appsRemoveSecret,
  appsEnable,
  appsDisable,
  appsRemove,
];
