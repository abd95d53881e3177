/**
 * A relying party in one file, for compose.yaml: a page with "Sign in", the callback, and the claims of the person. Uses
 * the package openid-client, as an app of your own would.
 *
 * Environment: ISSUER, CLIENT_ID, CLIENT_SECRET_FILE, ORIGIN (its own address, http://host:port).
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET_FILE, ORIGIN } = process.env;
const COOKIE = 'sign-in';
const SIGN_IN_MS = 900_000;
const MAX_SIGN_INS = 1000;

const secret = readFileSync(CLIENT_SECRET_FILE, 'utf8').trim();
// openid-client insists on https unless told otherwise; http is right on loopback only.
const execute = ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [];
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, secret, undefined, { execute });

/** What the callback compares with, by the value of the cookie of the browser that began. */
const begun = new Map();

const escaped = (value) => String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const page = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Demo relying party</title><style>body{font:1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}
td{padding:.2rem 1rem .2rem 0;overflow-wrap:anywhere}</style><h1>Demo relying party</h1>${body}</html>`;

async function begin() {
  const browser = client.randomState();
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  if (begun.size >= MAX_SIGN_INS) begun.delete(begun.keys().next().value);
  begun.set(browser, { ...checks, pkceCodeVerifier, endsAt: Date.now() + SIGN_IN_MS });
  const location = client.buildAuthorizationUrl(config, {
    redirect_uri: `${ORIGIN}/callback`,
    scope: 'openid profile',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const cookie = `${COOKIE}=${browser}; Path=/callback; HttpOnly; SameSite=Lax`;
  return { status: 303, headers: { location: location.href, 'set-cookie': cookie } };
}

async function finish(request) {
  const browser = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
  const started = begun.get(browser);
  begun.delete(browser);
  if (started === undefined || started.endsAt < Date.now()) {
    return {
      status: 400,
      body: page('<p>This browser has begun no sign-in. <a href="/">Begin one</a>.</p>'),
    };
  }
  const { endsAt: _, ...checks } = started;
  try {
    const tokens = await client.authorizationCodeGrant(config, new URL(request.url, ORIGIN), checks);
    const rows = Object.entries(tokens.claims()).map(
      ([name, value]) => `<tr><td>${escaped(name)}<td>${escaped(JSON.stringify(value))}`,
    );
    const table = `<table>${rows.join('')}</table>`;
    return { status: 200, body: page(`<p>Signed in.</p>${table}<p><a href="/">Back</a></p>`) };
  } catch (error) {
    const reason = escaped(error.error_description ?? error.message);
    return { status: 400, body: page(`<p>Not signed in: ${reason}</p><p><a href="/">Back</a></p>`) };
  }
}

async function answer(request) {
  if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
  const { pathname } = new URL(request.url, ORIGIN);
  if (pathname === '/') return { status: 200, body: page('<p><a href="/sign-in">Sign in</a></p>') };
  if (pathname === '/sign-in') return await begin();
  if (pathname === '/callback') return await finish(request);
  return { status: 404, body: page('<p>Not found.</p>') };
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => {
      console.error(error);
      return { status: 500, body: page('<p>Internal error.</p>') };
    })
    .then(({ status, headers = {}, body = '' }) => {
      response.writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        ...headers,
      });
      response.end(body);
    });
});
server.listen(Number(new URL(ORIGIN).port || 80), () => console.log(`relying party: ${ORIGIN}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
