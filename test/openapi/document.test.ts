// Rules: spec/operations.md#openapi
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { ERRORS, type ErrorCode } from '../../src/errors/catalogue.ts';
import type { ErrorSpec } from '../../src/errors/spec.ts';
import { refusalsOf } from '../../src/openapi/build-document.ts';
import type { PublicOperation } from '../../src/openapi/operation.ts';
import { publicOpenApi, publicOperations } from '../../src/openapi/public-openapi.ts';
import { VERSION } from '../../src/version.ts';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { type DescribedOperation, type OpenApiDocument, readDocument } from './support/described.ts';

const { config } = await loadConfig({
  env: {},
  cwd: import.meta.dirname,
  flags: { 'verify.worldid4.enabled': 'true', 'verify.worldid4.boundSessions': 'true' },
});
const operations = publicOperations(config);

let app: StartedApp;

beforeAll(async () => {
  app = await startApp({
    settings: { 'verify.worldid4.enabled': 'true', 'verify.worldid4.boundSessions': 'true' },
  });
});

afterAll(() => app.stop());

async function served(publicUrl: string): Promise<OpenApiDocument> {
  const answer = await fetch(`${publicUrl}/openapi.json`);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  return (await answer.json()) as OpenApiDocument;
}

describe('the OpenAPI document of the public listener', () => {
  it('is served with every operation that a service of the development profile can have', async () => {
    const idsOf = (document: OpenApiDocument): string[] =>
      readDocument(document).operations.map(([, , { operationId }]) => operationId);
    const answered = idsOf(await served(app.publicUrl));
    const declared = idsOf(publicOpenApi(VERSION, config) as unknown as OpenApiDocument);
    expect(answered.filter((id) => !declared.includes(id))).toEqual([]);
    // Profile test has no sessions by default.
    const missing = declared.filter((id) => !answered.includes(id));
    expect(missing).toEqual(['signOut', 'signOutByForm', 'confirmSignOut']);
  });

  it('refuses to be built for a route that no operation describes', () => {
    const route = { method: 'GET', path: '/secret' } as const;
    expect(() => publicOpenApi(VERSION, config, [route])).toThrow('no operation describes GET /secret');
  });

  it('has only what the listener serves, at the paths of its addresses', async () => {
    const settings = {
      baseUrl: 'http://localhost/auth',
      verifyUrl: 'http://localhost/verifier',
      issuerUrl: 'http://localhost/issuer',
      'refresh.enabled': 'false',
    };
    const other = await startAppOfTest({ settings });
    const { paths } = await served(`${other.publicUrl.replace(/\/auth$/, '')}/auth`);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/verifier/api/v4/verify/{rp_id}',
        '/issuer/api/v1/refresh',
        '/auth/token',
        '/healthz',
        '/auth/healthz',
        '/auth/openapi.json',
        '/.well-known/oauth-authorization-server/auth',
      ]),
    );
  });

  it('names each operation once', async () => {
    const ids = readDocument(await served(app.publicUrl)).operations.map(
      ([, , { operationId }]) => operationId,
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lists every error of the catalogue that a public interface can answer with', () => {
    const listed = new Set(operations.flatMap(refusalsOf));
    const unlisted = Object.entries(ERRORS as Readonly<Record<string, ErrorSpec>>).flatMap(([code, spec]) =>
      (spec.verify ?? spec.signin ?? spec.refresh) === undefined || listed.has(code as ErrorCode)
        ? []
        : [code],
    );
    expect(unlisted.sort()).toEqual(OF_NO_OPERATION);
  });

  it('lists no error of another interface', () => {
    const foreign = operations.flatMap((operation) =>
      refusalsOf(operation).flatMap((code) => {
        const spec: ErrorSpec = ERRORS[code];
        return spec[operation.errorForm] === undefined ? [`${operation.id} ${code}`] : [];
      }),
    );
    expect(foreign).toEqual([]);
  });

  it('has schemas that a strict compiler accepts', () => {
    const document = publicOpenApi(VERSION, config) as { components: { schemas: Record<string, object> } };
    const ajv = new Ajv2020({
      strict: true,
      strictRequired: false,
      strictTuples: false,
      allowUnionTypes: true,
    });
    ajv.addVocabulary(['components', 'bodies', 'x-decimal-maximum']);
    ajv.addFormat('uri', true).addFormat('date-time', true);
    const bodies = operations.flatMap(bodySchema);
    ajv.addSchema({ components: document.components, bodies }, 'document');
    for (const place of [
      ...Object.keys(document.components.schemas).map((name) => `components/schemas/${name}`),
      ...bodies.map((_, index) => `bodies/${index}`),
    ]) {
      expect(ajv.getSchema(`document#/${place}`), place).toBeTypeOf('function');
    }
  });
});

/** Errors that belong to a path or a method that no operation has, or are told to an app or on the page of a sign-in. */
const OF_NO_OPERATION: readonly string[] = [
  'http.method_not_allowed',
  'http.not_a_proxy',
  'transaction.answer_unreadable',
  'transaction.bridge_unreachable',
];

function bodySchema({ body }: PublicOperation): object[] {
  return body === undefined ? [] : [body.schema];
}

/** Examples that need something that a service which just started does not have, with their answers. */
const UNAVAILABLE_EXAMPLES: Readonly<Record<string, number>> = {
  exchangeCode: 400,
  introspectToken: 401,
  getUserInfo: 401,
  getUserInfoByPost: 401,
  signInByWallet: 400,
  getSignInPage: 403,
  getSignInStatus: 403,
  retrySignIn: 403,
  cancelSignIn: 403,
  otherSignIn: 403,
  agreeSignIn: 403,
  usePasskey: 403,
  savePasskey: 403,
  forgetBrowser: 403,
  forgetKnown: 403,
  getKnown: 403,
  continueSignIn: 403,
  getLogo: 404,
  getLogoHead: 404,
  getSignInFile: 404,
  getSignInFileHead: 404,
  getWalletFile: 404,
  getWalletFileHead: 404,
  getDemoFile: 404,
  getDemoFileHead: 404,
  getDocsFile: 404,
  getDocsFileHead: 404,
  createChallenge: 404,
  createChallengeHead: 404,
  getWitnessCode: 404,
  getWitnessCodeHead: 404,
  getProvingKey: 404,
  getProvingKeyHead: 404,
};

describe('the example of each operation', () => {
  it('runs on a service that just started, and is answered as described', async () => {
    const reader = readDocument(await served(app.publicUrl));
    const wrong: unknown[] = [];
    for (const [method, path, operation] of reader.operations) {
      // An alias is served by the operation itself, whose example has been used up.
      if (/\d$/.test(operation.operationId)) continue;
      const answer = await fetch(...requestOf(app.publicUrl, method, path, operation));
      const text = await answer.text();
      const response = reader.response(operation, answer.status);
      const isExpected = answer.status < 400 || UNAVAILABLE_EXAMPLES[operation.operationId] === answer.status;
      if (response === undefined || !isExpected) wrong.push([operation.operationId, answer.status, text]);
      else if (answer.headers.get('content-type')?.startsWith('application/json') && text !== '') {
        const faults = reader.faults(response, JSON.parse(text));
        if (faults.length > 0) wrong.push([operation.operationId, text, faults]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Builds the request of the example of an operation. */
function requestOf(
  publicUrl: string,
  method: string,
  path: string,
  { parameters = [], requestBody }: DescribedOperation,
): [string, RequestInit] {
  const exampleOf = (name: string): string => String(parameters.find((each) => each.name === name)?.example);
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const { name, in: place, example } of parameters) {
    if (place === 'query' && example !== undefined) query.set(name, String(example));
    if (place === 'header' && example !== undefined) headers.set(name, String(example));
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)));
  const text = query.toString();
  const url = `${publicUrl}${filled}${text === '' ? '' : `?${text}`}`;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const value = Object.values(content?.examples ?? {})[0]?.value;
  if (type === undefined) return [url, { method, headers, redirect: 'manual' }];
  const fields = Object.entries(Object(value) as Record<string, string>);
  if (type === 'multipart/form-data') {
    const form = new FormData();
    for (const [name, part] of fields) form.set(name, part);
    return [url, { method, headers, body: form, redirect: 'manual' }];
  }
  headers.set('content-type', type);
  const body = type === 'application/json' ? JSON.stringify(value) : new URLSearchParams(fields).toString();
  return [url, { method, headers, body, redirect: 'manual' }];
}
