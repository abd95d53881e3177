import type { App } from '../../api/types.ts';
import { type FieldSpec, type FormRow, same } from '../../parts/fields.tsx';
import type { FormValues } from '../../parts/form.tsx';
import { policyFields, readPolicy } from './policy-fields.ts';

/** One field of an app in the form; its name is that of the member. */
interface AppField extends FieldSpec {
  /** Whether it is for new apps only, or for known ones. */
  readonly only?: 'new' | 'known';
  /** Whether it is on for a new app in production. */
  readonly isStrict?: boolean;
  /** Value of the member if the field is empty, for one that may not be empty. */
  readonly empty?: 'omitted' | 'null';
}

/** Fields that are always seen, in order. */
const MAIN: readonly AppField[] = [
  {
    ...{ name: 'name', label: 'Name', empty: 'omitted', attributes: { maxlength: 64 } },
    hint: 'What people see when they sign in',
  },
  {
    ...{ name: 'redirect_uris', label: 'Redirect URIs', kind: 'lines', attributes: { rows: 3 } },
    hint: 'One per line, compared byte for byte. Leave it empty for an app that only verifies proofs.',
  },
  {
    ...{ name: 'token_endpoint_auth_method', label: 'Client', kind: 'radio' },
    choices: {
      client_secret_basic: ['Confidential', 'A server that can keep a secret. It gets a client secret.'],
      none: ['Public', 'A browser or phone app, which cannot keep a secret. PKCE is always required.'],
    },
  },
  {
    ...{ name: 'application_type', label: 'Kind', kind: 'radio' },
    choices: {
      web: ['Web', 'Redirects to https addresses only.'],
      native: ['Native', 'May redirect to a private scheme or to any port of a loopback address.'],
    },
  },
  {
    ...{ name: 'require_pkce', label: 'Require PKCE', kind: 'check', isStrict: true },
    hint: 'Refuses a code flow without it. Recommended.',
  },
  {
    ...{ name: 'staging', label: 'Staging', kind: 'check', only: 'new', empty: 'omitted' },
    hint: 'For tests: sign-in uses the staging trees. It cannot be changed later. An app_id that you give decides it by its prefix.',
  },
];

/** Fields in the part that is closed at first. */
const MORE: readonly AppField[] = [
  {
    ...{ name: 'app_id', label: 'app_id', kind: 'code', only: 'new', empty: 'omitted' },
    hint: 'app_ or app_staging_ and 32 lower-case hex digits, to take over an id that people already have a sub for. It is made up if this is empty, and cannot be changed later.',
    attributes: { maxlength: 64 },
  },
  {
    ...{ name: 'rp_id', label: 'rp_id', kind: 'code', only: 'new', empty: 'omitted' },
    hint: 'rp_ and 16 hex digits, if it is registered as a relying party under another id than the one that follows from the app_id. Usually empty.',
    attributes: { maxlength: 64 },
  },
  {
    ...{ name: 'rp_id', label: 'rp_id', kind: 'code', only: 'known' },
    hint: 'rp_ and 16 hex digits. Requests to verify name the app by it, so whoever sends them must change, too.',
    attributes: { maxlength: 64 },
  },
  {
    ...{ name: 'response_types', label: 'Response types', kind: 'checks', value: ['code'] },
    choices: same('code', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'),
  },
  {
    ...{ name: 'refresh_tokens', label: 'Refresh tokens', kind: 'check' },
    hint: 'For people who agree that the app stays connected while they are away.',
  },
  {
    ...{ name: 'require_pushed_authorization_requests', label: 'Require pushed requests', kind: 'check' },
    hint: 'Refuses a request to sign in that the app did not push to /par first.',
  },
  {
    ...{ name: 'dpop_bound_access_tokens', label: 'Require DPoP', kind: 'check' },
    hint: 'Refuses a token request without a proof of possession.',
  },
  {
    ...{ name: 'post_logout_redirect_uris', label: 'URIs after sign-out', kind: 'lines' },
    hint: 'One per line, compared byte for byte: where sign-out may redirect.',
    attributes: { rows: 2 },
  },
  {
    ...{ name: 'backchannel_logout_uri', label: 'Back-channel logout', kind: 'code', empty: 'null' },
    hint: 'Address that is told when a session ends. Usually empty.',
    attributes: { maxlength: 2048 },
  },
  {
    ...{ name: 'signal_is_nonce', label: 'The proof carries the nonce as its signal', kind: 'check' },
    hint: 'For wallets that intercept the link; leave it off otherwise.',
  },
  {
    ...{ name: 'verification', label: 'State as a relying party', kind: 'select' },
    hint: 'Only “registered” lets the app verify proofs.',
    choices: same('registered', 'pending', 'failed', 'deactivated', 'none'),
  },
];

const LOGO: FieldSpec = {
  ...{ name: 'logo', label: 'Logo', kind: 'file' },
  hint: 'PNG, JPEG or WebP of at most 64 KiB, shown at sign-in',
  attributes: { accept: 'image/png,image/jpeg,image/webp' },
};
const REMOVE_LOGO: FieldSpec = { name: 'remove_logo', label: 'Remove the logo', kind: 'check' };

/**
 * Returns the fields with the values of an app, or for a new one.
 *
 * @param profile - Decides the defaults of a new app; absent if it is not known.
 */
export function appFields(app?: App, profile?: string): FormRow[] {
  const rowsOf = (fields: readonly AppField[]): FieldSpec[] =>
    shown(fields, app).map((field) => ({
      ...field,
      value: field.isStrict && app === undefined ? profile === 'production' : initialOf(field, app),
    }));
  const logo = app?.logo === true ? [LOGO, REMOVE_LOGO] : [LOGO];
  const more = [...rowsOf(MORE), policyFields(app?.policy), ...logo];
  return [...rowsOf(MAIN), { summary: 'More', fields: more }];
}

function shown(fields: readonly AppField[], app: App | undefined): AppField[] {
  const other = app === undefined ? 'known' : 'new';
  return fields.filter(({ only }) => only !== other);
}

/** Returns the value of a field at first: one of the choices of a group, if it has one of them. */
function initialOf({ name, kind, value = '', choices }: AppField, app: App | undefined): Initial {
  const member = memberOf(app, name);
  if (kind === 'radio') {
    const values = Object.keys(choices ?? {});
    return values.find((one) => one === member) ?? values[0] ?? '';
  }
  if (member === undefined || member === null) return value;
  if (Array.isArray(member)) return kind === 'lines' ? member.join('\n') : member;
  return typeof member === 'boolean' ? member : String(member);
}

type Initial = NonNullable<FieldSpec['value']>;

function memberOf(app: App | undefined, name: string): unknown {
  return new Map<string, unknown>(Object.entries(app ?? {})).get(name);
}

/** Returns the members of the request as the form has them. */
export async function readApp(values: FormValues, app?: App): Promise<Record<string, unknown>> {
  const members = shown([...MAIN, ...MORE], app).map((field) => [field.name, readMember(field, values, app)]);
  const file = values.file('logo');
  return {
    ...Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    policy: readPolicy(values, app?.policy),
    ...(values.isOn('remove_logo') ? { logo: null } : {}),
    ...(file === undefined ? {} : { logo: await base64Of(file) }),
  };
}

/** Returns the value of a member; undefined omits it. */
function readMember(field: AppField, values: FormValues, app: App | undefined): unknown {
  const { name, kind, empty } = field;
  if (kind === 'lines') return values.lines(name);
  if (kind === 'checks') return values.chosen(name);
  if (kind === 'check') return values.isOn(name) || (empty === 'omitted' ? undefined : false);
  const text = values.text(name);
  if (text === '' && empty !== undefined) return empty === 'null' ? null : undefined;
  // A value that is none of the choices, such as that of a client that sends its secret in the body, stays as it is.
  const isKept = kind === 'radio' && app !== undefined && text === initialOf(field, app);
  return isKept ? memberOf(app, name) : text;
}

/** Returns the members of `values` that differ from those of an app. */
export function changesOf(values: Readonly<Record<string, unknown>>, app: App): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => name === 'logo' || JSON.stringify(value) !== JSON.stringify(memberOf(app, name)),
    ),
  );
}

async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
