/** Valid requests to every public endpoint, from which mutations are made. */

import { randomBytes } from 'node:crypto';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { Store } from '../../../src/storage/store.ts';
import { seal } from '../../support/crypto/sealed-message.ts';
import { bodyMaker, LOAD_APP } from '../../support/load.ts';
import { multipart, openRefreshClient } from '../../support/refresh/client.ts';
import { makePackage } from '../../support/refresh/custody-package.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { LOAD_ORB, loadSignupId } from '../../support/refresh/load.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { addClient, type TestClient } from '../../support/signin/clients.ts';
import { beginSignIn, completeSignIn } from '../../support/signin/driver.ts';
import { openRequest, proveRequest } from '../../support/test-wallet.ts';

/** One valid request in parts, so that headers can be added before all others. */
export interface RequestTemplate {
  readonly name: string;
  /** Method and target. */
  readonly line: string;
  /** Header lines without `Host` and `Content-Length`. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

const HOLDER = 'mutations';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';

/** Stores the holder, the orb key and the client that the templates refer to, and returns the client. */
export async function registerCorpus(store: Store): Promise<TestClient> {
  await enrolHolders(store, [testHolder(HOLDER)], Date.now(), { signupId: loadSignupId(HOLDER) });
  await registerOrbKey(store, LOAD_ORB.orbId, LOAD_ORB.pem, Date.now());
  return await addClient(store);
}

/** Makes the templates, with unused codes and sign-ins, so that their first use succeeds. */
export async function requestCorpus(baseUrl: string, client: TestClient): Promise<RequestTemplate[]> {
  const parameters = {
    response_type: 'code',
    scope: 'openid email profile',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    state: 'a state',
    nonce: 'a nonce',
  };
  return [
    ...simpleGets(),
    ...(await verifyTemplates()),
    get('authorize', `/authorize?${new URLSearchParams(parameters)}`),
    form('authorize by post', '/authorize', parameters),
    ...(await signInTemplates(baseUrl, parameters)),
    ...(await tokenTemplates(baseUrl, client, parameters)),
    ...bridgeTemplates(),
    ...(await refreshTemplates(baseUrl)),
  ];
}

function simpleGets(): RequestTemplate[] {
  const paths = [
    '/',
    '/healthz',
    '/favicon.ico',
    '/.well-known/openid-configuration',
    '/jwks',
    '/demo',
    '/wallet',
    '/api/v1/challenge',
    '/api/v1/issuer-keys',
    '/demo/callback?code=x&state=y',
    '/unknown/path',
  ];
  return paths.map((path) => get(path, path));
}

async function verifyTemplates(): Promise<RequestTemplate[]> {
  const make = await bodyMaker(`mutations ${randomBytes(8).toString('hex')}`);
  const target = `/api/v4/verify/${rpIdOf(LOAD_APP)}`;
  const single = make().body;
  const items = Array.from({ length: 3 }, (_, index) => {
    const { responses } = JSON.parse(make(index === 1).body) as { responses: unknown[] };
    return responses[0];
  });
  const several = JSON.stringify({ ...(JSON.parse(single) as object), responses: items });
  return [single, single, make(true).body, several].map((body, index) =>
    post(`verify ${index}`, target, [JSON_TYPE], body),
  );
}

async function signInTemplates(
  baseUrl: string,
  parameters: Readonly<Record<string, string>>,
): Promise<RequestTemplate[]> {
  const signIn = await beginSignIn(baseUrl, parameters);
  const cookie = `Cookie: ${signIn.cookie}`;
  const base = `/authorize/${signIn.txn}`;
  const taken = await openRequest(signIn.connectUrl, baseUrl);
  const answer = seal(taken.link.key, await proveRequest(taken.plaintext));
  const other = await beginSignIn(baseUrl, parameters);
  return [
    get('sign-in page', base, [cookie]),
    get('sign-in status', `${base}/status`, [cookie]),
    get('sign-in continue', `${base}/continue`, [cookie]),
    post('sign-in retry', `${base}/retry`, [cookie, 'Content-Length: 0'], ''),
    post('sign-in cancel', `/authorize/${other.txn}/cancel`, [`Cookie: ${other.cookie}`], ''),
    put('wallet answer', `/bridge/response/${taken.link.requestId}`, JSON.stringify(answer)),
  ];
}

async function tokenTemplates(
  baseUrl: string,
  client: TestClient,
  parameters: Readonly<Record<string, string>>,
): Promise<RequestTemplate[]> {
  const { clientId, clientSecret, redirectUri } = client;
  const basic = `Authorization: Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const codes = [
    (await completeSignIn(baseUrl, parameters, { person: 'first' })).parameters.code ?? '',
    (await completeSignIn(baseUrl, parameters, { person: 'second' })).parameters.code ?? '',
  ] as const;
  const fields = { grant_type: 'authorization_code', redirect_uri: redirectUri };
  const response = await fetch(`${baseUrl}/token`, {
    method: 'POST',
    headers: { Authorization: basic.slice('Authorization: '.length) },
    body: new URLSearchParams({ ...fields, code: codes[0] }),
  });
  const { access_token: token = '' } = (await response.json()) as { access_token?: string };
  return [
    form('token', '/token', { ...fields, code: codes[1] }, [basic]),
    form('token with post secret', '/token', {
      ...fields,
      code: codes[1],
      client_id: clientId,
      client_secret: clientSecret,
    }),
    form('introspect', '/introspect', { token }, [basic]),
    form('revoke', '/revoke', { token: `${token}x` }, [basic]),
    get('userinfo', '/userinfo', [`Authorization: Bearer ${token}`]),
    post('userinfo by post', '/userinfo', [`Authorization: Bearer ${token}`, FORM], ''),
  ];
}

function bridgeTemplates(): RequestTemplate[] {
  const message = JSON.stringify({ iv: 'AAAAAAAAAAAAAAAA', payload: randomBytes(300).toString('base64') });
  const id = '11111111-2222-4333-8444-555555555555';
  return [
    post('bridge request', '/bridge/request', [JSON_TYPE], message),
    put('bridge request by id', `/bridge/request/${id}`, message),
    get('bridge take', `/bridge/request/${id}`),
    { ...get('bridge head', `/bridge/request/${id}`), line: `HEAD /bridge/request/${id}` },
    put('bridge response', `/bridge/response/${id}`, message),
    get('bridge poll', `/bridge/response/${id}`),
  ];
}

async function refreshTemplates(baseUrl: string): Promise<RequestTemplate[]> {
  const client = await openRefreshClient(baseUrl);
  const { fields } = makePackage({ seed: HOLDER });
  const calls = [
    await client.call(testHolder(HOLDER)),
    await client.call(testHolder(HOLDER), { package: fields }),
    await client.call(testHolder('not enrolled')),
  ];
  await client.close();
  return calls.map(({ query, headers, fields: parts }, index) => {
    const { contentType, body } = multipart(parts);
    const lines = [
      `Content-Type: ${contentType}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    return { name: `refresh ${index}`, line: `POST /api/v1/refresh?${query}`, headers: lines, body };
  });
}

function get(name: string, path: string, headers: readonly string[] = []): RequestTemplate {
  return { name, line: `GET ${path}`, headers: ['Accept: text/html', ...headers], body: new Uint8Array(0) };
}

function post(name: string, path: string, headers: readonly string[], body: string): RequestTemplate {
  return { name, line: `POST ${path}`, headers, body: Buffer.from(body) };
}

function put(name: string, path: string, body: string): RequestTemplate {
  return { name, line: `PUT ${path}`, headers: [JSON_TYPE], body: Buffer.from(body) };
}

function form(
  name: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
): RequestTemplate {
  return post(name, path, [FORM, ...headers], new URLSearchParams(fields).toString());
}
