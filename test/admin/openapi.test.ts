// Rules: spec/operations.md#openapi
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminOpenApi } from '../../src/operations/openapi.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { VERSION } from '../../src/version.ts';
import type { SharedApp } from '../support/signin/shared-service.ts';
import { type AdminClient, useSharedAdmin } from './support/admin-client.ts';

let admin: AdminClient<SharedApp>;

beforeAll(async () => {
  admin = await useSharedAdmin();
});

describe('the OpenAPI document of the admin API', () => {
  it('is served without a token, as committed', async () => {
    const answer = await fetch(`${admin.app.adminUrl}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(adminOpenApi(VERSION))));
  });

  it('has schemas that a strict compiler accepts, each text and list of a request with a bound, without U+0000', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
    addFormats.default(ajv, ['date-time']);
    for (const { body, response } of OPERATIONS) {
      if (body !== undefined) ajv.compile(body);
      if (response.schema !== undefined) ajv.compile(response.schema);
    }
    const unbounded: string[] = [];
    const withNul: string[] = [];
    const visit = (schema: Record<string, unknown>, path: string): void => {
      const types = [schema.type].flat();
      const isBounded = ['maxLength', 'pattern', 'enum', 'format'].some((name) => name in schema);
      if (types.includes('string') && !isBounded) unbounded.push(path);
      if (types.includes('string') && !NUL_CHECKED.test(path) && takesNul(schema)) withNul.push(path);
      if (types.includes('array') && !('maxItems' in schema)) unbounded.push(path);
      for (const [name, child] of Object.entries(schema.properties ?? {})) visit(child, `${path}/${name}`);
      if (schema.items !== undefined) visit(schema.items as Record<string, unknown>, `${path}[]`);
    };
    for (const { id, params, query, body } of OPERATIONS) {
      for (const [name, schema] of Object.entries({ ...params, ...query }))
        visit({ ...schema }, `${id}/${name}`);
      if (body !== undefined) visit({ ...body }, id);
    }
    expect(unbounded).toEqual([]);
    expect(withNul).toEqual([]);
  });

  it('names each operation, path and method once', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    const places = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect([new Set(ids).size, new Set(places).size]).toEqual([ids.length, places.length]);
  });

  it('has an example for each operation that runs on a service that just started', async () => {
    // Values that only an earlier answer can give.
    const found: Record<string, string> = {};
    let version = 0;
    for (const { id, method, path, params = {}, query = {}, example, isVersioned } of ordered()) {
      const filled = Object.keys(params).reduce((text, name) => {
        const value = example.params?.[name] ?? '';
        return text.replace(`{${name}}`, found[value] ?? value);
      }, path);
      const text = new URLSearchParams(example.query).toString();
      expect(Object.keys(example.query ?? {}).every((name) => name in query)).toBe(true);
      const { status, body } = await admin.call(`${method} ${filled}${text === '' ? '' : `?${text}`}`, {
        ...(example.body === undefined ? {} : { body: example.body }),
        ...(isVersioned === true ? { version } : {}),
      });
      if (typeof body?.version === 'number') version = body.version;
      if (body?.secret_id !== undefined) found['{secret_id}'] = body.secret_id;
      if (body?.token_id !== undefined) found['{token_id}'] = body.token_id;
      if (id === 'listKeys') found['{kid}'] = body.items[0]?.kid ?? '';
      expect([id, status]).toEqual([id, UNAVAILABLE_EXAMPLES[id] ?? status]);
      expect([id, status < 400 || id in UNAVAILABLE_EXAMPLES]).toEqual([id, true]);
    }
  });
});

/** Texts of an app whose own check says more than a schema could. */
const NUL_CHECKED = /App\/(?:logo|(?:post_logout_)?redirect_uris\[\]|backchannel_logout_uri)$/;

function takesNul({ enum: values, format, pattern }: Record<string, unknown>): boolean {
  if (values !== undefined || format !== undefined) return false;
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test('\0');
}

/** Examples that need something an empty service does not have, with their answers. */
const UNAVAILABLE_EXAMPLES: Readonly<Record<string, number>> = {
  resetRootSource: 404,
  resetAction: 404,
  importVerifyingKey: 400,
  revokeOrbKey: 404,
  allowBeginning: 409,
  forgetPerson: 404,
  forgetPersonPointer: 404,
  forgetPersonSession: 404,
  getPerson: 404,
  revokeRefreshToken: 404,
  revokeSession: 404,
  revokeSessionOfAnyApp: 404,
  resendWebhookEvent: 409,
  testWebhook: 409,
};

/** Operations in an order in which creations come before what needs them, and removals last. */
function ordered(): typeof OPERATIONS {
  const place = ({ id }: (typeof OPERATIONS)[number]): number => {
    if (/^(?:create|import|rotate)/.test(id)) return id === 'createApp' ? 0 : 1;
    if (id === 'listKeys' || id === 'getApp') return 2;
    return /^(?:delete|remove|revoke)/.test(id) ? (id === 'deleteApp' ? 9 : 8) : 5;
  };
  return [...OPERATIONS].sort((one, other) => place(one) - place(other));
}
