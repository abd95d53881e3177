import type { Registered } from '../../../apps/index.ts';
import { fieldsOfClient } from '../../../config/apps/client-of.ts';
import type { AppRow, ClientSecretRow } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';

const SIGNIN_MEMBERS: readonly string[] = [
  'token_endpoint_auth_method',
  'application_type',
  'require_pkce',
  'signal_is_nonce',
  'logo',
];
const MEMBER_WIDTH = 26;

/** Secret as it is shown after its creation: never its value. */
export interface ShownSecret {
  readonly secret_id: string;
  readonly created_at: string | null;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

/** App as `--json` prints it: members spelled as on the wire. */
export interface ShownApp {
  readonly app_id: string;
  readonly rp_id: string;
  readonly name: string;
  readonly status: AppRow['status'];
  readonly verification: AppRow['verification'];
  readonly redirect_uris: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly application_type: string;
  readonly require_pkce: boolean;
  readonly signal_is_nonce: boolean;
  readonly logo: boolean;
  readonly development: boolean;
  /** Null for an app of the configuration, which has no times. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** Live secrets, the oldest first; only if they were requested. */
  readonly secrets?: readonly ShownSecret[];
}

/** Returns the members of an app, with its secrets if they are given. */
export function appJson(app: AppRow, secrets?: readonly ClientSecretRow[]): ShownApp {
  const client = fieldsOfClient(app.client) as Pick<
    ShownApp,
    | 'redirect_uris'
    | 'response_types'
    | 'token_endpoint_auth_method'
    | 'application_type'
    | 'require_pkce'
    | 'signal_is_nonce'
  >;
  return {
    app_id: app.appId,
    rp_id: app.rpId,
    name: app.name,
    status: app.status,
    verification: app.verification,
    ...client,
    logo: app.hasLogo,
    development: app.isDevelopment,
    created_at: timeOf(app.createdAt),
    updated_at: timeOf(app.updatedAt),
    ...(secrets === undefined ? {} : { secrets: secrets.map(secretJson) }),
  };
}

/** Formats an app as text, one member per line; without redirect URIs, members of sign-in are left out. */
export function appText(app: AppRow, secrets?: readonly ClientSecretRow[]): string {
  const { secrets: shown = [], redirect_uris, response_types, ...members } = appJson(app, secrets);
  const isClient = redirect_uris.length > 0;
  const lines = Object.entries(members)
    .filter(([member]) => isClient || !SIGNIN_MEMBERS.includes(member))
    .map(([member, value]) => line(member, String(value ?? 'by the configuration')));
  if (isClient) lines.push(line('response_types', response_types.join(', ')));
  lines.push(...redirect_uris.map((uri) => line('redirect_uri', uri)));
  lines.push(...shown.map((secret) => line('secret', secretText(secret))));
  return lines.join('\n');
}

/** Returns the members of a new app with its first secret: the only time that the value is shown. */
export function registeredJson({ app, secret }: Registered): ShownApp & { readonly client_secret?: string } {
  if (secret === undefined) return appJson(app);
  return { ...appJson(app, [secret.row]), client_secret: secret.value };
}

/** Formats a new app with its first secret as text. */
export function registeredText({ app, secret }: Registered): string {
  if (secret === undefined) return appText(app);
  return `${appText(app, [secret.row])}\n${newSecretText(secret.value)}`;
}

/** Formats the value of a new secret as text. */
export function newSecretText(value: string): string {
  return `${line('client_secret', value)}\n\nSave the client secret now: it is not shown again.`;
}

function line(member: string, value: string): string {
  return `${member.padEnd(MEMBER_WIDTH)}  ${value}`;
}

function secretJson({ secretId, createdAt, expiresAt }: ClientSecretRow): ShownSecret {
  return {
    secret_id: secretId,
    created_at: timeOf(createdAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
  };
}

function secretText({ secret_id, created_at, expires_at }: ShownSecret): string {
  const made = created_at === null ? 'by the configuration' : `made ${created_at}`;
  return `${secret_id}  ${made}${expires_at === null ? '' : `, ends ${expires_at}`}`;
}

function timeOf(time: number): string | null {
  return time === 0 ? null : isoTime(time);
}
