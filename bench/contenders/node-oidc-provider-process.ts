import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { answerCalls } from '../support/child.ts';
import { createMemoryAdapters } from './node-oidc-provider-adapter.ts';
import { type AccessTokenForm, CODE_TERMS, type SigninEndpoints, TTL_SECONDS } from './signin-contender.ts';

/** Calls of the process that runs node-oidc-provider. */
export type OidcProviderProcess = {
  start(argument: null): Promise<SigninEndpoints>;
  /** Stores codes through the library's models; form `at+jwt` binds them to a resource server. */
  codes(argument: { count: number; form: AccessTokenForm }): Promise<string[]>;
};

const CLIENT_ID = 'bench';
const REDIRECT_URI = 'https://shop.example/cb';
const RESOURCE = 'urn:bench:resource';

let provider: Provider | undefined;

async function configuration(issuer: string, clientSecret: string): Promise<object> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const levelClaims = [`${issuer}/v1`, `${issuer}/beta`];
  return {
    adapter: createMemoryAdapters(),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [REDIRECT_URI],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    responseTypes: ['code'],
    acrValues: ['orb', 'device'],
    claims: {
      openid: ['sub', 'acr', 'auth_time', ...levelClaims],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name'],
    },
    // Proofgate puts them into the ID token as well.
    conformIdTokenClaims: false,
    // Proofgate has no provider session whose end would end a token.
    expiresWithSession: () => false,
    pkce: { required: () => true },
    ttl: {
      AccessToken: TTL_SECONDS.token,
      AuthorizationCode: TTL_SECONDS.code,
      IdToken: TTL_SECONDS.token,
      Grant: TTL_SECONDS.token,
      Interaction: TTL_SECONDS.token,
      Session: TTL_SECONDS.token,
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: CODE_TERMS.scope,
          accessTokenFormat: 'jwt',
          accessTokenTTL: TTL_SECONDS.token,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId}@127.0.0.1`,
        name: 'World ID User',
        given_name: 'World ID',
        family_name: 'User',
        [`${issuer}/v1`]: { verification_level: 'orb' },
        [`${issuer}/beta`]: { likely_human: 'strong', credential_type: 'orb' },
      }),
    }),
  };
}

async function grantFor(running: Provider, accountId: string): Promise<string> {
  const grant = new running.Grant({ accountId, clientId: CLIENT_ID });
  grant.addOIDCScope(CODE_TERMS.scope);
  grant.addResourceScope(RESOURCE, CODE_TERMS.scope);
  return await grant.save();
}

const newAccount = (): string => `0x${randomBytes(32).toString('hex')}`;

/** Finishes an interaction as a login and consent page would. */
async function interact(
  running: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await running.interactionDetails(request, response);
  const accountId = newAccount();
  const result = {
    login: { accountId, acr: 'orb' },
    consent: { grantId: await grantFor(running, accountId) },
  };
  await running.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const handlers: OidcProviderProcess = {
  async start() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const clientSecret = `sk_${randomBytes(24).toString('hex')}`;
    const running = new Provider(issuer, await configuration(issuer, clientSecret));
    running.on('server_error', (_, error) => void process.stderr.write(`node-oidc-provider: ${error}\n`));
    const answer = running.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
      interact(running, request, response).catch((error: unknown) => {
        response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
      });
    });
    provider = running;
    return {
      issuer,
      port,
      authorizePath: '/auth',
      tokenPath: '/token',
      userinfoPath: '/me',
      keySetPath: '/jwks',
      clientId: CLIENT_ID,
      clientSecret,
      redirectUri: REDIRECT_URI,
      hasWallet: false,
    };
  },
  async codes({ count, form }) {
    const running = provider;
    const client = await running?.Client.find(CLIENT_ID);
    if (!running || !client) throw new Error('call start first');
    const texts: string[] = [];
    for (let i = 0; i < count; i++) {
      const accountId = newAccount();
      const code = new running.AuthorizationCode({
        accountId,
        client,
        acr: 'orb',
        authTime: Math.floor(Date.now() / 1000),
        codeChallenge: CODE_TERMS.challenge,
        codeChallengeMethod: 'S256',
        grantId: await grantFor(running, accountId),
        nonce: CODE_TERMS.nonce,
        redirectUri: REDIRECT_URI,
        scope: CODE_TERMS.scope,
        ...(form === 'at+jwt' ? { resource: RESOURCE } : {}),
      });
      texts.push(await code.save());
    }
    return texts;
  },
};

answerCalls(handlers);
