import type { JsonSchema } from '../../../../json.ts';
import { CHANGEABLE, CREATE_APP_INPUT } from '../../../../operations/app-input.ts';
import type { App } from '../../api/types.ts';
import type { FieldSpec, FormFields } from '../../parts/fields.tsx';
import type { FormValues } from '../../parts/form.tsx';
import { fieldOf, type Members, readMember } from '../../parts/schema-fields.ts';
import { policyFields, readPolicy } from './policy-fields.ts';

/** Members that are always seen, in order; the others are in the part that is closed at first, in the order of the schema. */
const MAIN: readonly string[] = [
  'name',
  'redirect_uris',
  'token_endpoint_auth_method',
  'application_type',
  'require_pkce',
  'staging',
];
/** Members that have a button, a group or a control of their own, or none in this form. */
const ELSEWHERE: readonly string[] = ['status', 'policy', 'logo', 'client_secret'];

/** Texts that the schemas lack: words for each choice, and hints other than the meaning of an absent member. */
const OWN: Readonly<Record<string, Partial<FieldSpec>>> = {
  name: { kind: 'text' },
  redirect_uris: {
    attributes: { rows: 3 },
    hint: 'One per line, compared byte for byte. Leave it empty for an app that only verifies proofs.',
  },
  token_endpoint_auth_method: {
    kind: 'radio',
    hint: undefined,
    choices: {
      client_secret_basic: ['Confidential', 'A server that can keep a secret. It gets a client secret.'],
      none: ['Public', 'A browser or phone app, which cannot keep a secret. PKCE is always required.'],
    },
  },
  application_type: {
    kind: 'radio',
    hint: undefined,
    choices: {
      web: ['Web', 'Redirects to https addresses only.'],
      native: ['Native', 'May redirect to a private scheme or to any port of a loopback address.'],
    },
  },
  email_form: {
    choices: {
      '': 'as signin.emailForm says',
      long: 'long: the sub, 66 characters before the @',
      short: 'short: 33 characters before the @, as the usual validators accept',
    },
  },
  binding: {
    choices: {
      bound: ['Bound', 'One proof ties the person to the session by which the person returns.'],
      paired: ['Paired', 'Two proofs, for wallets that cannot bind. Two people who agree can pair theirs.'],
      session: ['Session alone', 'One person may have many subs.'],
    },
  },
  require_pkce: { hint: 'Refuses a code flow without it. Recommended.' },
  staging: {
    hint: 'For tests: sign-in uses the staging trees. It cannot be changed later. An app_id that you give decides it by its prefix.',
  },
  app_id: {
    hint: 'app_ or app_staging_ and 32 lower-case hex digits, to take over an id that people already have a sub for. It is made up if this is empty, and cannot be changed later.',
  },
  response_types: { value: ['code'], hint: undefined },
  backchannel_logout_uri: { kind: 'code' },
  verification: { value: 'registered' },
};

const LOGO: FieldSpec = {
  label: 'Logo',
  kind: 'file',
  hint: 'PNG, JPEG or WebP of at most 64 KiB, shown at sign-in',
  attributes: { accept: 'image/png,image/jpeg,image/webp' },
};
const REMOVE_LOGO: FieldSpec = { label: 'Remove the logo', kind: 'check' };

/** One member of the form. */
interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly field: FieldSpec;
}

/** Returns the members that the form of an app has, or that of a new one. */
function membersOf(app: App | undefined): Member[] {
  const schemas: Readonly<Record<string, JsonSchema>> =
    app === undefined ? CREATE_APP_INPUT.properties : CHANGEABLE;
  return Object.entries(schemas)
    .filter(([name]) => !ELSEWHERE.includes(name))
    .map(([name, schema]) => ({
      name,
      schema,
      field: fieldOf(
        name,
        schema,
        app === undefined ? OWN[name] : withoutDefault(OWN[name]),
        memberOf(app, name),
      ),
    }));
}

/** Leaves out the choice of a default, which an app has made when it was registered. */
function withoutDefault(own: Partial<FieldSpec> | undefined): Partial<FieldSpec> | undefined {
  if (own?.choices === undefined) return own;
  const { '': _, ...choices } = own.choices;
  return { ...own, choices };
}

/**
 * Returns the fields with the values of an app, or for a new one.
 *
 * @param profile - Decides the defaults of a new app; absent if it is not known.
 */
export function appFields(app?: App, profile?: string): FormFields {
  const fields = new Map(membersOf(app).map(({ name, field }) => [name, field]));
  const pkce = fields.get('require_pkce');
  if (app === undefined && pkce !== undefined) {
    fields.set('require_pkce', { ...pkce, value: profile === 'production' });
  }
  const main = MAIN.flatMap((name) => {
    const field = fields.get(name);
    return field === undefined ? [] : [[name, field] as const];
  });
  const others = [...fields].filter(([name]) => !MAIN.includes(name));
  const logo = app?.logo === true ? { logo: LOGO, remove_logo: REMOVE_LOGO } : { logo: LOGO };
  const more = { ...Object.fromEntries(others), policy: policyFields(app?.policy), ...logo };
  return { ...Object.fromEntries(main), more: { summary: 'More', fields: more } };
}

function memberOf(app: App | undefined, name: string): unknown {
  return new Map<string, unknown>(Object.entries(app ?? {})).get(name);
}

/** Returns the members of the request as the form has them. */
export async function readApp(values: FormValues, app?: App): Promise<Members> {
  const members = membersOf(app).map((member) => [member.name, readField(member, values, app)] as const);
  const file = values.file('logo');
  return {
    ...Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    policy: readPolicy(values, app?.policy),
    ...(values.isOn('remove_logo') ? { logo: null } : {}),
    ...(file === undefined ? {} : { logo: await base64Of(file) }),
  };
}

/** Returns the value of a member; undefined, with which a new app has its default, for an empty field. */
function readField({ name, schema, field }: Member, values: FormValues, app: App | undefined): unknown {
  const value = readMember(values, name, field, schema);
  if (value === '') return [schema.type].flat().includes('null') ? null : app && value;
  // A value that is not among the choices, such as that of a client that sends its secret in the body, is unchanged.
  return field.kind === 'radio' && app !== undefined && value === field.value ? memberOf(app, name) : value;
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
