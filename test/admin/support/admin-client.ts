import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/errors/catalogue.ts';
import type { ErrorSpec } from '../../../src/errors/spec.ts';
import { refusalsOf } from '../../../src/operations/openapi.ts';
import { ADMIN_BASE_PATH, type Operation } from '../../../src/operations/operation.ts';
import { OPERATIONS } from '../../../src/operations/table.ts';
import { type StartAppOptions, type StartedApp, startApp } from '../../support/server/start-app.ts';
import { type SharedApp, useSharedApp } from '../../support/signin/shared-service.ts';

/** Members of a request; an absent one is not sent. */
export interface AdminCall {
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of the service if absent; null sends none. */
  readonly token?: string | null;
  readonly version?: number;
}

/** An answer, whose body and status fit the OpenAPI document. */
export interface AdminReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AdminBody;
}

/** Members of answers that tests read by name; the schema of the operation has checked which are there. */
export interface AdminBody {
  readonly [member: string]: unknown;
  readonly items: readonly AdminItem[];
  readonly next_cursor: string | null;
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly detail: string }[];
  readonly app_id: string;
  readonly rp_id: string;
  readonly client_secret?: string;
  readonly version: number;
  readonly token: string;
  readonly token_id: string;
  readonly secret_id?: string;
  readonly active: string;
  readonly retired: string;
  readonly refused: readonly { readonly index: number }[];
}

/** Members of the items of a list. */
export interface AdminItem {
  readonly [member: string]: unknown;
  readonly app_id: string;
  readonly name: string;
  readonly secret_id: string;
  readonly expires_at: string | null;
  readonly kid: string;
  readonly state: string;
  readonly changes_at: string;
  readonly id: string;
  readonly id_comm: string;
  readonly environment: string;
  readonly root: string;
  readonly seq: number;
  readonly key: string;
  readonly used_for: readonly unknown[];
  readonly code: string;
  readonly pending: number;
  readonly before: object;
  readonly after: object;
}

/** A service and a client of its admin API. */
export interface AdminClient<App = StartedApp> {
  readonly app: App;
  readonly token: string;
  /** Calls an operation; `path` is relative to the base path. Fails if the answer is not one of the document. */
  call(request: `${Operation['method']} ${string}`, call?: AdminCall): Promise<AdminReply>;
  /** Calls an operation that refuses; returns the status and the code. */
  refusal(...call: Parameters<AdminClient['call']>): Promise<[status: number, code: string]>;
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, strictRequired: false });
addFormats.default(ajv, ['date-time']);
const validators = new Map(
  OPERATIONS.filter(({ response }) => response.schema !== undefined).map((operation) => [
    operation.id,
    ajv.compile(operation.response.schema ?? {}),
  ]),
);

/** Starts a service with a client of its admin API. */
export async function startAdmin(options: StartAppOptions = {}): Promise<AdminClient> {
  const app = await startApp(options);
  return clientOf(app, options.settings?.['admin.token']);
}

/** Returns a client of a service that is started for the tests of a file. */
export function useAdmin(options: StartAppOptions = {}): AdminClient {
  let admin: AdminClient | undefined;
  const current = (): AdminClient => {
    if (admin === undefined) throw new Error('expected a test that runs');
    return admin;
  };
  beforeAll(async () => {
    admin = await startAdmin(options);
  });
  afterAll(() => admin?.app.stop());
  return {
    get app() {
      return current().app;
    },
    get token() {
      return current().token;
    },
    call: (...call) => current().call(...call),
    refusal: (...call) => current().refusal(...call),
  };
}

/** Returns a client of the admin API of the shared service. */
export async function useSharedAdmin(): Promise<AdminClient<SharedApp>> {
  return clientOf(await useSharedApp());
}

function clientOf<App extends SharedApp>(
  app: App,
  token = readFileSync(join(app.dataDir, 'admin-token'), 'utf8'),
): AdminClient<App> {
  const call: AdminClient['call'] = async (request, options = {}) => {
    const { body, headers = {}, token: other = token, version } = options;
    const [method = '', path = ''] = request.split(' ');
    const response = await fetch(`${app.adminUrl}${ADMIN_BASE_PATH}${path}`, {
      method,
      headers: {
        ...(other === null ? {} : { authorization: `Bearer ${other}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const reply = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    checkReply(operationOf(method, path), reply);
    return reply;
  };
  return {
    app,
    token,
    call,
    async refusal(...of) {
      const { status, body } = await call(...of);
      return [status, body.code];
    },
  };
}

/** Returns the operation of a request. */
export function operationOf(method: string, path: string): Operation {
  const plain = path.split('?')[0] ?? '';
  const fits = ({ path: pattern }: Operation): boolean =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(plain);
  // A path without parameters is preferred, as by the router.
  const found = OPERATIONS.filter((operation) => operation.method === method && fits(operation)).sort(
    (one, other) => one.path.split('{').length - other.path.split('{').length,
  )[0];
  if (found === undefined) throw new Error(`no operation ${method} ${plain}`);
  return found;
}

/** Fails unless an answer is one of those that the document lists for the operation. */
export function checkReply(operation: Operation, { status, headers, body }: AdminReply): void {
  const shown = `${operation.id}: ${status} ${JSON.stringify(body)?.slice(0, 400)}`;
  expect(headers.get('cache-control'), shown).toBe('no-store');
  if (status < 400) {
    expect(status, shown).toBe(operation.response.status);
    const validate = validators.get(operation.id);
    if (validate === undefined) expect(body, shown).toBeUndefined();
    else expect(validate(body) ? [] : validate.errors, shown).toEqual([]);
    return;
  }
  expect(headers.get('content-type'), shown).toBe('application/problem+json');
  expect(body, shown).toMatchObject({ status, requestId: headers.get('x-request-id') });
  expect(refusalsOf(operation), shown).toContain(body.code);
  const spec: ErrorSpec = ERRORS[body.code as ErrorCode];
  expect(spec.admin ?? 500, shown).toBe(status);
}
