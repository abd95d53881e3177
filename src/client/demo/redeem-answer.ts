import type { JSONWebKeySet } from 'jose';
import type { DemoConfig } from '../../pages.ts';
import { element } from '../dom.ts';
import type { PendingSignIn } from './begin-sign-in.ts';
import { type Call, getJson, getWithToken, postForm } from './calls.ts';
import { type Check, type CheckedToken, checkAccessToken, checkIdToken, equal } from './check-tokens.ts';
import type { Leftovers } from './misuse-section.ts';
import { callView, checksView, section, tokenView } from './views.ts';

/** An authorization response as received by the page. */
export interface Answer {
  readonly mode: 'query' | 'fragment' | 'form_post';
  /** Names and values in the order of the response. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Returns the value of a parameter; undefined if it is absent. */
  get(name: string): string | undefined;
}

/**
 * Finds the authorization response: in the posted form (passed on by the server), in the fragment, or in the query.
 *
 * @param posted - Parameters of a form; undefined if the page was opened without one.
 * @returns undefined if there is none, for example after the address was entered or reloaded.
 */
export function readAnswer(
  { hash, search }: Pick<Location, 'hash' | 'search'>,
  posted?: readonly (readonly [string, string])[],
): Answer | undefined {
  if (posted !== undefined) return answerOf('form_post', posted);
  if (hash.length > 1) return answerOf('fragment', [...new URLSearchParams(hash.slice(1))]);
  if (search.length > 1) return answerOf('query', [...new URLSearchParams(search)]);
  return undefined;
}

function answerOf(mode: Answer['mode'], parameters: Answer['parameters']): Answer {
  const values = new Map(parameters);
  return { mode, parameters, get: (name) => values.get(name) };
}

/** A sign-in that passed every check. */
export interface SignedIn {
  readonly sections: readonly HTMLElement[];
  readonly person: {
    readonly claims: CheckedToken['claims'];
    readonly userInfo: Readonly<Record<string, unknown>>;
  };
  readonly leftovers: Leftovers;
}

/** A sign-in that must not be accepted, with the reason. */
export interface NotSignedIn {
  readonly sections: readonly HTMLElement[];
  readonly reason: string;
}

/**
 * Completes a sign-in from an answer that is not an error: exchanges the code, checks the tokens, calls /userinfo. The
 * sections show the steps in order, up to the last one.
 *
 * @throws NoAnswer when the service does not answer.
 */
export async function redeemAnswer(
  config: DemoConfig,
  answer: Answer,
  pending: PendingSignIn,
): Promise<SignedIn | NotSignedIn> {
  const sections: HTMLElement[] = [];
  const jwks = await getJson(config.urls.jwks);
  const keys = keySetOf(jwks);
  const { issuer, clientId } = config;
  const expected = { keys, issuer, clientId, nonce: pending.nonce, now: Date.now() };
  const frontToken = answer.get('access_token');
  const frontIdToken = answer.get('id_token');
  const code = answer.get('code');
  const checked: CheckedToken[] = [];
  const show = (title: string, token: CheckedToken): void => {
    checked.push(token);
    sections.push(section(title, tokenView(token)));
  };

  if (frontIdToken !== undefined) {
    const together = { accessToken: frontToken, code };
    show('ID token in the answer', await checkIdToken(frontIdToken, { ...expected, ...together }));
  }
  if (frontToken !== undefined)
    show('Access token in the answer', await checkAccessToken(frontToken, expected));

  const exchange = code === undefined ? undefined : exchangeFields(config, pending, code);
  let accessToken = frontToken;
  if (exchange !== undefined) {
    const call = await postForm(config.urls.token, exchange);
    sections.push(exchangeSection(call));
    const { access_token, id_token } = call.body;
    if (call.status !== 200 || typeof access_token !== 'string' || typeof id_token !== 'string') {
      return { sections, reason: 'The service did not exchange the code; its answer is below.' };
    }
    accessToken = access_token;
    show('ID token', await checkIdToken(id_token, { ...expected, accessToken }));
    show('Access token', await checkAccessToken(access_token, expected));
  }
  sections.push(section('The keys of the service', callView(jwks)));

  const [first] = checked;
  const sub = String(first?.claims.sub);
  const userInfo =
    accessToken === undefined ? undefined : await getWithToken(config.urls.userinfo, accessToken);
  const checks = checked.flatMap((token) => token.checks);
  if (userInfo !== undefined) {
    const same = equal('sub', userInfo.body.sub, sub, 'the sub of the ID token');
    checks.push(same);
    sections.push(userInfoSection(userInfo, same));
  }
  const isSame = checked.every(({ claims }) => claims.sub === sub);
  if (first === undefined || !isSame || checks.some(({ isOk }) => !isOk)) {
    return { sections, reason: 'A check does not hold. An app must not sign anybody in by this answer.' };
  }
  return {
    sections,
    person: { claims: first.claims, userInfo: userInfo?.body ?? {} },
    leftovers: { accessToken, exchange },
  };
}

function exchangeFields(
  { clientId, redirectUri }: DemoConfig,
  { verifier }: PendingSignIn,
  code: string,
): Readonly<Record<string, string>> {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    ...(verifier === undefined ? {} : { code_verifier: verifier }),
  };
}

function exchangeSection(call: Call): HTMLElement {
  const words =
    'The code is exchanged for tokens. The demo has no secret, as no code in a browser has: the PKCE verifier shows that the exchange comes from the tab that asked.';
  return section('Exchange of the code', element('p', {}, words), callView(call));
}

function userInfoSection(call: Call, same: Check): HTMLElement {
  const words = 'What the access token opens: the claims of this sign-in, and nothing else.';
  return section('User info', element('p', {}, words), callView(call), checksView([same]));
}

/** Returns the key set of an answer; an empty one, which verifies no signature, if there is none. */
function keySetOf({ body }: Call): JSONWebKeySet {
  return Array.isArray(body.keys) ? { keys: body.keys as JSONWebKeySet['keys'] } : { keys: [] };
}
