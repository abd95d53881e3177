import { isDeepStrictEqual } from 'node:util';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import {
  type AccessTokenForm,
  CODE_TERMS,
  type SigninContender,
  type SigninEndpoints,
  TTL_SECONDS,
} from '../../contenders/signin-contender.ts';
import { type Answer, headerValues, openConnection } from '../http/http-connection.ts';
import { requestBytes, tokenRequest, userinfoRequest } from './signin-requests.ts';

/** Answers of a provider to the requests that all providers receive before the measurement. */
export interface SigninAnswers {
  /** Status, token type, lifetime in seconds and scope of the token response. */
  readonly exchange: readonly (number | string)[];
  readonly accessToken: AccessTokenForm;
  /** Algorithm and lifetime in seconds of the ID token, after signature, claims and nonce were checked. */
  readonly idToken: readonly (number | string)[];
  /** The claims in `CLAIMS` that the ID token has. */
  readonly idTokenClaims: readonly string[];
  /** Names of the claims of /userinfo; empty if it does not accept the token. */
  readonly userinfo: readonly string[];
  /** Status and `error`, as for the following ones. */
  readonly badToken: string;
  readonly wrongSecret: string;
  readonly wrongVerifier: string;
  readonly usedCode: string;
  /** Answer of /userinfo to the token of a code that was used twice. */
  readonly replayedToken: string;
}

const USERINFO = ['sub', '/v1', '/beta', 'email', 'name', 'given_name', 'family_name'].sort();
const CLAIMS = ['iss', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr', ...USERINFO].sort();

/** Number of codes that `askProvider` uses. */
export const QUESTION_CODES = 2;

/** Returns the expected answers of a contender. */
export function rightAnswers(
  contender: Pick<SigninContender, 'accessTokens' | 'hasUserinfo'>,
): SigninAnswers {
  return {
    exchange: [200, 'Bearer', TTL_SECONDS.token, CODE_TERMS.scope],
    accessToken: contender.accessTokens,
    idToken: ['RS256', TTL_SECONDS.token],
    idTokenClaims: CLAIMS,
    userinfo: contender.hasUserinfo ? USERINFO : [],
    badToken: '401 invalid_token',
    wrongSecret: '401 invalid_client',
    wrongVerifier: '400 invalid_grant',
    usedCode: '400 invalid_grant',
    replayedToken: '401 invalid_token',
  };
}

/**
 * Compares the answers of a contender with the expected ones.
 *
 * @throws Error naming contender and answer
 */
export function assertRight(
  contender: Pick<SigninContender, 'name' | 'accessTokens' | 'hasUserinfo'>,
  answers: SigninAnswers,
): void {
  const right = rightAnswers(contender);
  for (const question of Object.keys(right) as (keyof SigninAnswers)[]) {
    const [expected, got] = [right[question], answers[question]];
    if (!isDeepStrictEqual(got, expected))
      throw new Error(
        `${contender.name}, ${question}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
      );
  }
}

/** Returns the names of claims; names that are addresses of the issuer are shortened to their paths. */
const namesOf = (claims: object, issuer: string): string[] =>
  Object.keys(claims).map((name) => (name.startsWith(issuer) ? name.slice(issuer.length) : name));

function refusal(answer: Answer): string {
  const challenge = headerValues(answer, 'www-authenticate').join();
  const error = /^\s*\{/.test(answer.body)
    ? (JSON.parse(answer.body) as { error?: string }).error
    : /error="([^"]*)"/.exec(challenge)?.[1];
  return `${answer.status} ${error}`;
}

function formOf(token: string): AccessTokenForm {
  return token.split('.').length === 3 && decodeProtectedHeader(token).typ === 'at+jwt' ? 'at+jwt' : 'opaque';
}

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token: string;
}

/**
 * Sends the requests to a provider and returns its answers.
 *
 * @param codes - `QUESTION_CODES` unused codes.
 */
export async function askProvider(
  endpoints: SigninEndpoints,
  codes: readonly string[],
): Promise<SigninAnswers> {
  const { issuer, clientId, port } = endpoints;
  const [code = '', other = ''] = codes;
  const connection = await openConnection('127.0.0.1', port);
  const ask = (request: Uint8Array): Promise<Answer> => connection.send(request);
  try {
    const keySet = await ask(requestBytes(endpoints, { path: endpoints.keySetPath }));
    const keys = createLocalJWKSet(JSON.parse(keySet.body) as JSONWebKeySet);
    const wrongSecret = await ask(tokenRequest(endpoints, code, { secret: `sk_${'0'.repeat(48)}` }));
    const exchanged = await ask(tokenRequest(endpoints, code));
    const tokens = JSON.parse(exchanged.body) as Tokens;
    if (exchanged.status !== 200) throw new Error(`${issuer}: ${exchanged.status} ${exchanged.body}`);
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keys, {
      issuer,
      audience: clientId,
    });
    if (payload.nonce !== CODE_TERMS.nonce) throw new Error('the ID token has another nonce');
    const told = await ask(userinfoRequest(endpoints, tokens.access_token));
    const badToken = await ask(userinfoRequest(endpoints, `${tokens.access_token.slice(0, -8)}AAAAAAAA`));
    const wrongVerifier = await ask(tokenRequest(endpoints, other, { verifier: 'x'.repeat(43) }));
    const usedCode = await ask(tokenRequest(endpoints, code));
    const replayedToken = await ask(userinfoRequest(endpoints, tokens.access_token));
    const claims = namesOf(payload, issuer);
    return {
      exchange: [exchanged.status, tokens.token_type, tokens.expires_in, tokens.scope],
      accessToken: formOf(tokens.access_token),
      idToken: [protectedHeader.alg, Number(payload.exp) - Number(payload.iat)],
      idTokenClaims: CLAIMS.filter((name) => claims.includes(name)),
      userinfo: told.status === 200 ? namesOf(JSON.parse(told.body) as object, issuer).sort() : [],
      badToken: refusal(badToken),
      wrongSecret: refusal(wrongSecret),
      wrongVerifier: refusal(wrongVerifier),
      usedCode: refusal(usedCode),
      replayedToken: refusal(replayedToken),
    };
  } finally {
    connection.close();
  }
}
