import type { App } from '../../api/types.ts';
import { type FieldSpec, type FormFields, same } from '../../parts/fields.tsx';
import type { FormValues } from '../../parts/form.tsx';
import { policyFields, readPolicy } from './policy-fields.ts';

/** One field of an app in the form. */
interface AppField extends FieldSpec {
  readonly isForNewOnly?: boolean;
  /** Hint for an app that is known. */
  readonly hintOfKnown?: string;
  /** Whether it is on for a new app in production. */
  readonly isOnInProduction?: boolean;
  /** Value of the member if the field is empty: left out, left out of a new app, or null. */
  readonly empty?: 'omitted' | 'default' | 'null';
}

/** Fields by the names of their members. */
type AppFields = Readonly<Record<string, AppField>>;

/** Fields that are always seen, in order. */
const MAIN: AppFields = {
  name: {
    label: 'Name',
    empty: 'omitted',
    attributes: { maxlength: 64 },
    hint: 'What people see when they sign in',
  },
  redirect_uris: {
    label: 'Redirect URIs',
    kind: 'lines',
    attributes: { rows: 3 },
    hint: 'One per line, compared byte for byte. Leave it empty for an app that only verifies proofs.',
  },
  token_endpoint_auth_method: {
    label: 'Client',
    kind: 'radio',
    choices: {
      client_secret_basic: ['Confidential', 'A server that can keep a secret. It gets a client secret.'],
      none: ['Public', 'A browser or phone app, which cannot keep a secret. PKCE is always required.'],
    },
  },
  application_type: {
    label: 'Kind',
    kind: 'radio',
    choices: {
      web: ['Web', 'Redirects to https addresses only.'],
      native: ['Native', 'May redirect to a private scheme or to any port of a loopback address.'],
    },
  },
  require_pkce: {
    label: 'Require PKCE',
    kind: 'check',
    isOnInProduction: true,
    hint: 'Refuses a code flow without it. Recommended.',
  },
  staging: {
    label: 'Staging',
    kind: 'check',
    isForNewOnly: true,
    empty: 'default',
    hint: 'For tests: sign-in uses the staging trees. It cannot be changed later. An app_id that you give decides it by its prefix.',
  },
};

/** Fields in the part that is closed at first. */
const MORE: AppFields = {
  app_id: {
    label: 'app_id',
    kind: 'code',
    isForNewOnly: true,
    empty: 'default',
    hint: 'app_ or app_staging_ and 32 lower-case hex digits, to take over an id that people already have a sub for. It is made up if this is empty, and cannot be changed later.',
    attributes: { maxlength: 64 },
  },
  rp_id: {
    label: 'rp_id',
    kind: 'code',
    empty: 'default',
    hint: 'rp_ and 16 hex digits, if it is registered as a relying party under another id than the one that follows from the app_id. Usually empty.',
    hintOfKnown:
      'rp_ and 16 hex digits. Requests to verify name the app by it, so whoever sends them must change, too.',
    attributes: { maxlength: 64 },
  },
  response_types: {
    label: 'Response types',
    kind: 'checks',
    value: ['code'],
    choices: same('code', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'),
  },
  refresh_tokens: {
    label: 'Refresh tokens',
    kind: 'check',
    hint: 'For people who agree that the app stays connected while they are away.',
  },
  require_pushed_authorization_requests: {
    label: 'Require pushed requests',
    kind: 'check',
    hint: 'Refuses a request to sign in that the app did not push to /par first.',
  },
  dpop_bound_access_tokens: {
    label: 'Require DPoP',
    kind: 'check',
    hint: 'Refuses a token request without a proof of possession.',
  },
  post_logout_redirect_uris: {
    label: 'URIs after sign-out',
    kind: 'lines',
    hint: 'One per line, compared byte for byte: where sign-out may redirect.',
    attributes: { rows: 2 },
  },
  backchannel_logout_uri: {
    label: 'Back-channel logout',
    kind: 'code',
    empty: 'null',
    hint: 'Address that is told when a session ends. Usually empty.',
    attributes: { maxlength: 2048 },
  },
  signal_is_nonce: {
    label: 'The proof carries the nonce as its signal',
    kind: 'check',
    hint: 'For wallets that intercept the link; leave it off otherwise.',
  },
  verification: {
    label: 'State as a relying party',
    kind: 'select',
    hint: 'Only “registered” lets the app verify proofs.',
    choices: same('registered', 'pending', 'failed', 'deactivated', 'none'),
  },
};

const LOGO: FieldSpec = {
  label: 'Logo',
  kind: 'file',
  hint: 'PNG, JPEG or WebP of at most 64 KiB, shown at sign-in',
  attributes: { accept: 'image/png,image/jpeg,image/webp' },
};
const REMOVE_LOGO: FieldSpec = { label: 'Remove the logo', kind: 'check' };

/**
 * Returns the fields with the values of an app, or for a new one.
 *
 * @param profile - Decides the defaults of a new app; absent if it is not known.
 */
export function appFields(app?: App, profile?: string): FormFields {
  const rowsOf = (fields: AppFields): FormFields => {
    const rows = shownOf(fields, app).map(([name, field]) => {
      const isOn = field.isOnInProduction && app === undefined;
      const value = isOn ? profile === 'production' : initialOf(name, field, app);
      const hint = app === undefined ? field.hint : (field.hintOfKnown ?? field.hint);
      return [name, { ...field, value, hint }] as const;
    });
    return Object.fromEntries(rows);
  };
  const logo = app?.logo === true ? { logo: LOGO, remove_logo: REMOVE_LOGO } : { logo: LOGO };
  const more = { ...rowsOf(MORE), policy: policyFields(app?.policy), ...logo };
  return { ...rowsOf(MAIN), more: { summary: 'More', fields: more } };
}

function shownOf(fields: AppFields, app: App | undefined): [name: string, field: AppField][] {
  return Object.entries(fields).filter(([, { isForNewOnly }]) => app === undefined || isForNewOnly !== true);
}

type Initial = NonNullable<FieldSpec['value']>;

/** Returns the value of a field at first: one of the choices of a group, if it has one of them. */
function initialOf(name: string, { kind, value = '', choices = {} }: AppField, app?: App): Initial {
  const member = memberOf(app, name);
  if (kind === 'radio') {
    const values = Object.keys(choices);
    return values.find((one) => one === member) ?? values[0] ?? '';
  }
  if (member === undefined || member === null) return value;
  if (Array.isArray(member)) return kind === 'lines' ? member.join('\n') : member;
  return typeof member === 'boolean' ? member : String(member);
}

function memberOf(app: App | undefined, name: string): unknown {
  return new Map<string, unknown>(Object.entries(app ?? {})).get(name);
}

/** Returns the members of the request as the form has them. */
export async function readApp(values: FormValues, app?: App): Promise<Record<string, unknown>> {
  const fields = shownOf({ ...MAIN, ...MORE }, app);
  const members = fields.map(([name, field]) => [name, readMember(name, field, values, app)] as const);
  const file = values.file('logo');
  return {
    ...Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    policy: readPolicy(values, app?.policy),
    ...(values.isOn('remove_logo') ? { logo: null } : {}),
    ...(file === undefined ? {} : { logo: await base64Of(file) }),
  };
}

/** Returns the value of a member; undefined omits it. */
function readMember(name: string, field: AppField, values: FormValues, app?: App): unknown {
  const { kind, empty } = field;
  if (kind === 'lines') return values.lines(name);
  if (kind === 'checks') return values.chosen(name);
  if (kind === 'check') return values.isOn(name) || (empty === 'default' ? undefined : false);
  const text = values.text(name);
  if (text === '' && empty === 'null') return null;
  if (text === '' && (empty === 'omitted' || (empty === 'default' && app === undefined))) return undefined;
  // A value that is none of the choices, such as that of a client that sends its secret in the body, stays as it is.
  const isKept = kind === 'radio' && app !== undefined && text === initialOf(name, field, app);
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
