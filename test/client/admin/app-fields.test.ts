import { describe, expect, it } from 'vitest';
import { namesOf } from '../../../src/client/admin/parts/fields.tsx';
import type { FormValues } from '../../../src/client/admin/parts/form.tsx';
import { fieldOf, readMember } from '../../../src/client/admin/parts/schema-fields.ts';
import { appFields, readApp } from '../../../src/client/admin/views/apps/app-fields.ts';
import { CREATE_APP_INPUT } from '../../../src/operations/app-input.ts';

/** Values of a form without a page. */
function valuesOf(texts: Readonly<Record<string, string | readonly string[]>>): FormValues {
  const listOf = (name: string): string[] => [texts[name] ?? []].flat();
  return {
    text: (name) => listOf(name)[0] ?? '',
    lines: listOf,
    chosen: listOf,
    isOn: (name) => name in texts,
    file: () => undefined,
    set: () => undefined,
  };
}

describe('the form of an app', () => {
  it('has every member of the input, except the status, which has a button, and a secret from elsewhere', () => {
    const names = new Set(namesOf(appFields()).map((name) => name.split('.')[0]));
    const members = Object.keys(CREATE_APP_INPUT.properties);
    expect([...names].sort()).toEqual(
      members.filter((name) => name !== 'status' && name !== 'client_secret').sort(),
    );
  });

  it('leaves out of a new app the texts that are empty', async () => {
    const values = valuesOf({ token_endpoint_auth_method: 'none', 'policy.credentials': ['orb', '9303'] });
    expect(await readApp(values)).toEqual({
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'none',
      allow_short_scheme: false,
      allowed_origins: [],
      require_pkce: false,
      signal_is_nonce: false,
      refresh_tokens: false,
      require_pushed_authorization_requests: false,
      dpop_bound_access_tokens: false,
      introspects: [],
      link_world_ids: false,
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      staging: false,
      policy: { credentials: ['orb', 9303], sessionProofReuse: false },
    });
  });
});

describe('a field that follows from a schema', () => {
  it.each([
    ['a switch', { type: 'boolean' }, { kind: 'check', value: '' }],
    ['one of a few', { type: 'string', enum: ['a', 'b'] }, { kind: 'select', choices: { a: 'a', b: 'b' } }],
    ['some of a few', { type: 'array', items: { type: 'string', enum: ['a'] } }, { kind: 'checks' }],
    ['texts', { type: 'array', items: { type: 'string' } }, { kind: 'lines', hint: 'One per line. Words.' }],
    ['a number', { type: ['integer', 'null'] }, { attributes: { inputmode: 'numeric' } }],
    ['an identifier', { type: 'string', pattern: '^a$' }, { kind: 'code' }],
    ['a text', { type: 'string', maxLength: 9 }, { kind: 'text', attributes: { maxlength: 9 } }],
  ] as const)('is the control for %s', (_, schema, field) => {
    const described = { ...schema, title: 'Label', description: 'Words.' };
    expect(fieldOf('member', described)).toMatchObject({ label: 'Label', hint: 'Words.', ...field });
  });

  it.each([
    ['12', 12],
    ['0', 0],
    ['12 days', '12 days'],
    ['9007199254740993', '9007199254740993'],
    ['', ''],
  ])('reads the number %j', (text, value) => {
    const schema = { type: 'integer' } as const;
    expect(readMember(valuesOf({ age: text }), 'age', fieldOf('age', schema), schema)).toBe(value);
  });
});
