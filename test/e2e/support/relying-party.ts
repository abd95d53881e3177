/** A relying party that calls the client endpoints directly, without an OpenID library. */
import type { TestClient } from '../../support/signin/clients.ts';

/** An answer; the body is JSON or empty. */
export interface PartyReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls of a relying party, with its secret in the body. */
export interface RelyingParty {
  /** `POST /token`; `more` replaces or adds fields. */
  redeem(code: string, more?: Readonly<Record<string, string>>): Promise<PartyReply>;
  introspect(token: string): Promise<PartyReply>;
  revoke(token: string): Promise<PartyReply>;
  userinfo(token: string): Promise<PartyReply>;
}

/** Tokens of a valid code. */
export interface Tokens {
  readonly accessToken: string;
  readonly idToken: string;
}

/** Creates the relying party of a client. */
export function relyingParty(baseUrl: string, client: TestClient): RelyingParty {
  const post = (path: string, fields: Readonly<Record<string, string>>): Promise<PartyReply> => {
    const own = { client_id: client.clientId, client_secret: client.clientSecret };
    return reply(
      fetch(`${baseUrl}${path}`, { method: 'POST', body: new URLSearchParams({ ...own, ...fields }) }),
    );
  };
  return {
    redeem: (code, more = {}) =>
      post('/token', { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...more }),
    introspect: (token) => post('/introspect', { token }),
    revoke: (token) => post('/revoke', { token }),
    userinfo: (token) =>
      reply(fetch(`${baseUrl}/userinfo`, { headers: { authorization: `Bearer ${token}` } })),
  };
}

/** Exchanges a code for tokens; throws if it is refused. */
export async function tokensOf(party: RelyingParty, code: string | undefined): Promise<Tokens> {
  const { status, body } = await party.redeem(code ?? '');
  const { access_token: accessToken, id_token: idToken } = body;
  if (status !== 200 || typeof accessToken !== 'string' || typeof idToken !== 'string') {
    throw new Error(`/token: expected tokens, got ${status} ${String(body.error_description)}`);
  }
  return { accessToken, idToken };
}

async function reply(sent: Promise<Response>): Promise<PartyReply> {
  const response = await sent;
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>),
  };
}
