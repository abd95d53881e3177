import { appJson, type Registered, type ShownSecret } from '../../../apps/index.ts';
import type { AppRow, ClientSecretRow } from '../../../storage/index.ts';

const SIGNIN_MEMBERS: readonly string[] = [
  'token_endpoint_auth_method',
  'application_type',
  'require_pkce',
  'signal_is_nonce',
  'refresh_tokens',
  'require_pushed_authorization_requests',
  'dpop_bound_access_tokens',
  'logo',
];
const MEMBER_WIDTH = 37;

/** Formats an app as text, one member per line; without redirect URIs, members of sign-in are left out. */
export function appText(app: AppRow, secrets?: readonly ClientSecretRow[]): string {
  const {
    secrets: shown = [],
    redirect_uris,
    response_types,
    response_types_named,
    post_logout_redirect_uris,
    backchannel_logout_uri,
    policy,
    version: _,
    ...members
  } = appJson(app, secrets);
  const isClient = redirect_uris.length > 0;
  const lines = Object.entries(members)
    .filter(([member]) => isClient || !SIGNIN_MEMBERS.includes(member))
    .map(([member, value]) => line(member, String(value ?? 'by the configuration')));
  lines.push(line('policy', JSON.stringify(policy)));
  const origin = response_types_named ? '' : ' (by default: a session answers code alone)';
  if (isClient) lines.push(line('response_types', response_types.join(', ') + origin));
  lines.push(...redirect_uris.map((uri) => line('redirect_uri', uri)));
  lines.push(...post_logout_redirect_uris.map((uri) => line('post_logout_redirect_uri', uri)));
  if (backchannel_logout_uri !== null) lines.push(line('backchannel_logout_uri', backchannel_logout_uri));
  lines.push(...shown.map((secret) => line('secret', secretText(secret))));
  return lines.join('\n');
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

function secretText({ secret_id, created_at, expires_at }: ShownSecret): string {
  const made = created_at === null ? 'by the configuration' : `made ${created_at}`;
  return `${secret_id}  ${made}${expires_at === null ? '' : `, ends ${expires_at}`}`;
}
