import { isDeepStrictEqual } from 'node:util';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import {
  type AccessTokenForm,
  CODE_TERMS,
  LIVES,
  type SigninContender,
  type SigninEndpoints,
} from '../../contenders/signin-contender.ts';
import { type Answer, headerValues, openConnection } from '../http/http-connection.ts';
import { requestBytes, tokenRequest, userinfoRequest } from './signin-requests.ts';

/** How a provider answered the questions that all of them are asked before the first figure is taken. */
export interface SigninAnswers {
  /** Status, type, life in seconds and scope of the answer with the tokens. */
  readonly exchange: readonly (number | string)[];
  readonly accessToken: AccessTokenForm;
  /** Algorithm, type and life in seconds of the ID token, whose signature, issuer, audience and nonce held. */
  readonly idToken: readonly (number | string)[];
  /** Those of `CLAIMS` that the ID token has. */
  readonly idTokenClaims: readonly string[];
  /** Names of the claims of /userinfo; empty where it does not take the token. */
  readonly userinfo: readonly string[];
  /** Status and `error`. */
  readonly badToken: string;
  readonly wrongSecret: string;
  readonly wrongVerifier: string;
  readonly usedCode: string;
  /** /userinfo with the token of a code that came twice. */
  readonly replayedToken: string;
}

const USERINFO = ['sub', '/v1', '/beta', 'email', 'name', 'given_name', 'family_name'].sort();
const CLAIMS = ['iss', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr', ...USERINFO].sort();

/** The codes that the questions use up. */
export const QUESTION_CODES = 2;

/** What is right for a contender. */
export function rightAnswers(
  contender: Pick<SigninContender, 'accessTokens' | 'hasUserinfo'>,
): SigninAnswers {
  return {
    exchange: [200, 'Bearer', LIVES.token, CODE_TERMS.scope],
    accessToken: contender.accessTokens,
    idToken: ['RS256', LIVES.token],
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
 * Compares the answers of a contender with what is right.
 *
 * @throws Error naming contender and question.
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

/** Claims whose names are addresses of the issuer are told apart by their paths. */
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
  return token.split('..').length === 3 && decodeProtectedHeader(token).typ === 'at+jwt'
    ? 'at+jwt'
    : 'opaque';
}

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token: string;
}

/**
 * Asks a provider the questions.
 *
 * @param codes - `QUESTION_CODES` unused ones.
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
