/** Sign-in endpoints that clients call, over real sockets, with their own store and a settable clock. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createAddressKeys } from '../../../src/apps/address-keys.ts';
import { createClients } from '../../../src/apps/clients.ts';
import { makeSecret, secretKeyOf } from '../../../src/apps/secrets/secrets.ts';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { basePathOf } from '../../../src/config/values/public-address.ts';
import { renderSigninError } from '../../../src/http/errors/signin.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { discoveryRoutes } from '../../../src/http/routes/public/signin/clients/discovery.ts';
import { tokenRoutes } from '../../../src/http/routes/public/signin/clients/token-routes.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLog } from '../../../src/observability/log/log.ts';
import { observeRequest } from '../../../src/observability/log/observe-request.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics/metrics.ts';
import { createAccessTokens } from '../../../src/oidc/access-tokens.ts';
import { issueCode } from '../../../src/oidc/authorize/responder.ts';
import { createDpop, createDpopNonces, type Dpop } from '../../../src/oidc/dpop/check-proof.ts';
import { createIdTokenHints } from '../../../src/oidc/id-token-hints.ts';
import { createSigningKeys, type SigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { liveFamilies } from '../../../src/oidc/refresh-tokens.ts';
import { createTokenIssuer, type TokenIssuer } from '../../../src/oidc/token-issuer.ts';
import type { AuthorizationRequest } from '../../../src/oidc/types.ts';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { AppRow, ClientMetadata } from '../../../src/storage/apps/apps.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { AcceptedProof } from '../../../src/storage/values.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { fillUsedFolder } from '../../support/server/used-folder.ts';

/** Time at which the clock of a service begins, in milliseconds since the epoch. */
export const STARTED_AT = 1_790_000_000_000;
/** Redirect URI of test clients. */
export const REDIRECT_URI = 'https://shop.example/cb?x=1';
/** Accepted proof of the test person. */
export const ACCEPTED: AcceptedProof = {
  sub: new Uint8Array(32).fill(0x21),
  level: 'orb',
  authTime: STARTED_AT - 2500,
};
/** The `sub` of the test person in tokens. */
export const SUB: string = `0x${'21'.repeat(32)}`;

/** A registered client; a public one has no secret. */
export interface TestClient {
  readonly id: string;
  readonly secret: string;
  /** Its Authorization header. */
  readonly basic: string;
}

/** An answer; a JSON body is parsed. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Parts of a request in addition to method and path. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters, or the text of a form as it is sent. */
  readonly form?: Readonly<Record<string, string>> | string;
  readonly contentType?: string;
}

/** A running service. */
export interface BackChannel {
  /** Where it listens, with the path of `baseUrl`. */
  readonly url: string;
  /** Where it listens. */
  readonly origin: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly store: Store;
  readonly keys: SigningKeys;
  readonly tokens: TokenIssuer;
  readonly dpop: Dpop;
  readonly metrics: Metrics;
  /** Milliseconds since the epoch; tests move it. */
  readonly clock: { now: number };
  /** Lines of the log so far. */
  log(): Readonly<Record<string, unknown>>[];
  addClient(metadata?: Partial<ClientMetadata>, row?: Partial<AppRow>): Promise<TestClient>;
  /** Stores the code of a sign-in, as `…/continue` does; returns its text. */
  issueCode(client: TestClient, request?: Partial<AuthorizationRequest>): Promise<string>;
  /** Calls `METHOD /path` below `url`. */
  call(line: string, options?: CallOptions): Promise<Reply>;
  /** Issues the access token of a new sign-in. */
  accessToken(client: TestClient): Promise<string>;
  stop(): Promise<void>;
  /** Exchanges a code by Basic. */
  exchange(client: TestClient, code: string, more?: Readonly<Record<string, string>>): Promise<Reply>;
}

/** Starts a service that stops when the test ends. */
export async function startBackChannel(
  settings: Readonly<Record<string, string>> = {},
): Promise<BackChannel> {
  const service = await openBackChannel(settings);
  onTestFinished(() => service.stop());
  return service;
}

/** Starts a service for all tests of a file, because making keys is slow; the caller stops it. */
export async function openBackChannel(settings: Readonly<Record<string, string>> = {}): Promise<BackChannel> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-signin-'));
  await fillUsedFolder(dataDir, settings, STARTED_AT);
  const given = { profile: 'test', dataDir, 'log.level': 'trace', ...settings };
  const { config } = await loadConfig({ env: environmentOf(given), cwd: dataDir });
  const clock = { now: STARTED_AT };
  const now = (): number => clock.now;
  const store = await openMigratedStore(config.storage);
  const chunks: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const log = createLog({ ...config.log, destination });
  const metrics = createMetrics();
  const secretKey = secretKeyOf(config);
  const keys = await createSigningKeys({ store: store.signingKeys, config, log, now });
  const cacheMs = config.storage.cacheSeconds * 1000;
  const clients = createClients({ apps: store.apps, secretKey, cacheMs, now });
  const tokens = createTokenIssuer({ keys, config, clients, now });
  const { baseUrl } = config;
  const accessTokens = createAccessTokens({ keys, clients, grants: store.grants, baseUrl, now });
  const { grants, pushedRequests } = store;
  const refreshTokens = liveFamilies(store.refreshTokens, config);
  const dpop = createDpop({ nonces: createDpopNonces(config, now), grants, now });
  const shared = { config, clients, grants, refreshTokens, tokens, accessTokens, dpop, metrics, log, now };
  const readHint = createIdTokenHints({ keys, baseUrl });
  const parts = {
    ...shared,
    readHint,
    issuers: undefined,
    pushedRequests,
    addressKeys: createAddressKeys(config),
    limits: new Limits(),
  };
  const server = await createHttpServer({
    listener: 'public',
    host: '127.0.0.1',
    port: 0,
    routes: [...tokenRoutes(parts), ...discoveryRoutes({ config, keys })],
    fallbacks: [],
    renderUnknown: renderSigninError,
    baseUrl,
    limits: config.http,
    onEnd: observeRequest(log, metrics),
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const url = origin + basePathOf(baseUrl);
  const call: BackChannel['call'] = async (line, { headers = {}, form, contentType = FORM } = {}) => {
    const [method = '', path = ''] = line.split(' ');
    const isSent = form !== undefined;
    const answer = await fetch(path.startsWith('//') ? origin + path.slice(1) : url + path, {
      method,
      headers: { ...(isSent && contentType !== '' ? { 'content-type': contentType } : {}), ...headers },
      ...(isSent ? { body: bodyOf(form, contentType) } : {}),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type') === 'application/json' && text !== '';
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  return {
    url,
    origin,
    port: server.port,
    baseUrl,
    store,
    keys,
    tokens,
    dpop,
    metrics,
    clock,
    call,
    async stop() {
      server.closeAll();
      metrics.close();
      await keys.stop();
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    log: () =>
      chunks
        .join('')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    async addClient(metadata = {}, row = {}) {
      const id = row.appId ?? `app_${randomBytes(16).toString('hex')}`;
      const secret = makeSecret({ appId: id, isDevelopment: true, secretKey }, clock.now);
      const client = { ...DEFAULT_CLIENT, redirectUris: [REDIRECT_URI], ...metadata };
      const isPublic = client.tokenEndpointAuthMethod === 'none';
      await store.apps.create(
        { ...BARE_APP, appId: id, rpId: rpIdOf(id), client, ...row },
        isPublic ? undefined : secret.row,
      );
      return { id, secret: secret.value, basic: basicOf(id, secret.value) };
    },
    async issueCode({ id }, request = {}) {
      const whole: AuthorizationRequest = {
        clientId: id,
        redirectUri: REDIRECT_URI,
        responseType: 'code',
        responseMode: 'query',
        scope: ['openid'],
        requiresOrb: false,
        ...request,
      };
      const code = issueCode(whole, ACCEPTED, {}, clock.now + config.signin.codeTtlSeconds * 1000);
      const spent = { hash: new Uint8Array(randomBytes(32)), expiresAt: clock.now + 1000 };
      if (!(await store.grants.issue(code.row, spent, clock.now))) throw new Error('the code was not stored');
      return code.text;
    },
    accessToken: async ({ id }) => (await tokens.accessToken({ ...GRANT, clientId: id }, randomUUID())).token,
    exchange: (client, code, more = {}) =>
      call('POST /token', {
        headers: { authorization: client.basic },
        form: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...more },
      }),
  };
}

/** Builds a Basic header without form encoding, which ids and secrets of the service do not need. */
export function basicOf(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Returns the value of a counter, summed over the samples with these labels. */
export async function counterOf(
  metrics: Metrics,
  name:
    | 'codeReplayTotal'
    | 'refreshTokenReplayTotal'
    | 'clientAuthFailuresTotal'
    | 'tokenIssuedTotal'
    | 'rateLimitedTotal',
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { values } = await metrics[name].get();
  return values
    .filter((sample) =>
      Object.entries(labels).every(
        ([key, value]) => String(Object.entries(sample.labels).find(([k]) => k === key)?.[1]) === value,
      ),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

const GRANT = {
  scope: ['openid', 'email'],
  subject: { sub: SUB, level: 'orb', authTime: STARTED_AT / 1000 - 3 },
} as const;
const FORM = 'application/x-www-form-urlencoded';
const BARE_APP = {
  name: 'Shop',
  status: 'active',
  verification: 'none',
  isDevelopment: true,
  policy: OPEN_POLICY,
  hasLogo: false,
  createdAt: STARTED_AT,
  updatedAt: STARTED_AT,
} as const;

/** Encodes a form, as bytes if no content type is to be sent, since `fetch` adds one to text. */
function bodyOf(
  form: NonNullable<CallOptions['form']>,
  contentType: string,
): string | Uint8Array<ArrayBuffer> {
  const text = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return contentType === '' ? new Uint8Array(Buffer.from(text)) : text;
}
