import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import type { NewCode } from '../../storage/signin/grants.ts';
import type { AcceptedProof, Bytes32 } from '../../storage/values.ts';
import { hasWord } from '../parameters.ts';
import { subjectOf, type TokenIssuer } from '../token-issuer.ts';
import type { AuthorizationRequest, Grant, ResponseMode } from '../types.ts';

/** An authorization response, before it is encoded as a URL or a form. */
export interface AuthorizationResponse {
  readonly mode: ResponseMode;
  /** The registered URI, byte for byte. */
  readonly redirectUri: string;
  /** Names and values, not encoded, in the order in which they are sent. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** The members of a request that its response needs. */
export type ResponseTarget = Pick<AuthorizationRequest, 'redirectUri' | 'responseMode' | 'state'>;

/**
 * Returns the last parameters of each response: the state, as sent, and `iss` (RFC 9207).
 *
 * @param issuer - `baseUrl`, byte for byte.
 */
function closingParameters(
  { state }: ResponseTarget,
  issuer: string,
): (readonly [name: string, value: string])[] {
  return [...(state === undefined ? [] : [['state', state] as const]), ['iss', issuer]];
}

/**
 * Builds an error response for the relying party (spec/sign-in.md#checks-answered-to-the-app): `error`,
 * `error_description`, `state` and `iss`, and nothing else.
 *
 * @param error - A registered OAuth or OIDC value.
 * @param description - ASCII without `"` and `\`.
 */
export function refusalResponse(
  target: ResponseTarget,
  error: string,
  description: string,
  issuer: string,
): AuthorizationResponse {
  return {
    mode: target.responseMode,
    redirectUri: target.redirectUri,
    parameters: [['error', error], ['error_description', description], ...closingParameters(target, issuer)],
  };
}

/**
 * An authorization code: the text for the relying party, and the row for the store, which holds only its
 * hash.
 */
export interface IssuedCode {
  /** 43 characters of base64url. */
  readonly text: string;
  readonly row: NewCode;
}

/**
 * Hashes a code; the store keeps only the hash.
 *
 * @returns SHA-256 of the UTF-8 bytes of its text.
 */
export function hashOfCode(text: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** Returns a random code: 43 characters of base64url. */
function randomCode(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Creates the code of a sign-in, bound to the request and the proof (spec/sign-in.md#authorization-code).
 *
 * @param expiresAt - Expiry of the code, in milliseconds since the epoch.
 */
export function issueCode(
  request: AuthorizationRequest,
  accepted: AcceptedProof,
  { sid, code: text = randomCode(), txn }: AnswerOrigin,
  expiresAt: number,
): IssuedCode {
  const { clientId, redirectUri, scope, codeChallenge, dpopJkt, nonce } = request;
  return {
    text,
    row: {
      codeHash: hashOfCode(text),
      clientId,
      redirectUri,
      scope: scope.join(' '),
      codeChallenge: codeChallenge ?? null,
      dpopJkt: dpopJkt ?? null,
      nonce: nonce === undefined ? null : JSON.stringify(nonce),
      accepted,
      sid: sid ?? null,
      txn: txn ?? null,
      codeExpiresAt: expiresAt,
      expiresAt,
    },
  };
}

/** Response of a successful sign-in. */
export interface SuccessResponse {
  readonly response: AuthorizationResponse;
  /** Must be stored before the response is sent; undefined if the response type has no code. */
  readonly code: NewCode | undefined;
  /** Whether the response contains an access token, which is counted once the response may be sent. */
  readonly hasAccessToken: boolean;
}

/** Where a response comes from. */
export interface AnswerOrigin {
  /** The session of the tokens, if there is one. */
  readonly sid?: string | undefined;
  /** Text of the code, if the response has one; random by default. */
  readonly code?: string | undefined;
  /** The sign-in that issues the code; absent without one. */
  readonly txn?: string | undefined;
}

/** Builds authorization responses (spec/sign-in.md#authorization-response). */
export interface Responder {
  success(
    request: AuthorizationRequest,
    accepted: AcceptedProof,
    origin?: AnswerOrigin,
  ): Promise<SuccessResponse>;
  /**
   * @param error - A registered OAuth or OIDC value.
   * @param description - ASCII without `"` and `\`.
   */
  refusal(request: ResponseTarget, error: string, description: string): AuthorizationResponse;
}

/** Dependencies of `createResponder`. */
export interface ResponderParts {
  readonly tokens: TokenIssuer;
  readonly config: Pick<Config, 'baseUrl'> & { readonly signin: Pick<Config['signin'], 'codeTtlSeconds'> };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the builder of authorization responses. */
export function createResponder({ tokens, config, now }: ResponderParts): Responder {
  const issuer = config.baseUrl;
  return {
    async success(request, accepted, origin = {}) {
      const { responseType } = request;
      const grant = grantOf(request, accepted, origin.sid);
      const expiresAt = now() + config.signin.codeTtlSeconds * 1000;
      const code = hasWord(responseType, 'code')
        ? issueCode(request, accepted, origin, expiresAt)
        : undefined;
      const access = hasWord(responseType, 'token')
        ? await tokens.accessToken(grant, randomUUID())
        : undefined;
      const bound = {
        ...(access === undefined ? {} : { accessToken: access.token }),
        ...(code === undefined ? {} : { code: code.text }),
      };
      const idToken = hasWord(responseType, 'id_token') ? await tokens.idToken(grant, bound) : undefined;
      const parameters: (readonly [string, string])[] = [];
      if (code !== undefined) parameters.push(['code', code.text]);
      if (access !== undefined) {
        parameters.push(
          ['access_token', access.token],
          ['token_type', 'Bearer'],
          ['expires_in', String(access.expiresInSeconds)],
          ['scope', request.scope.join(' ')],
        );
      }
      if (idToken !== undefined) parameters.push(['id_token', idToken]);
      parameters.push(...closingParameters(request, issuer));
      const { redirectUri, responseMode: mode } = request;
      return {
        response: { mode, redirectUri, parameters },
        code: code?.row,
        hasAccessToken: access !== undefined,
      };
    },
    refusal: (request, error, description) => refusalResponse(request, error, description, issuer),
  };
}

/** Returns the grant of a sign-in. */
function grantOf(
  { clientId, scope, nonce }: AuthorizationRequest,
  accepted: AcceptedProof,
  sid: string | undefined,
): Grant {
  return {
    clientId,
    scope,
    ...(nonce === undefined ? {} : { nonce }),
    ...(sid === undefined ? {} : { sid }),
    subject: subjectOf(accepted),
  };
}
