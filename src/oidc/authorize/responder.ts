import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import type { AcceptedProof, NewCode } from '../../storage/index.ts';
import type { TokenIssuer } from '../issuing/token-issuer.ts';
import { subjectOf } from '../issuing/user-claims.ts';
import { hasWord } from '../parameters.ts';
import type { AuthorizationRequest, Grant } from '../types.ts';
import { issueCode } from './authorization-code.ts';
import {
  type AuthorizationResponse,
  closingParameters,
  type ResponseTarget,
  refusalResponse,
} from './authorization-response.ts';

/** Response of a successful sign-in. */
export interface SuccessResponse {
  readonly response: AuthorizationResponse;
  /** Must be stored before the response is sent; undefined if the response type has no code. */
  readonly code: NewCode | undefined;
  /** Whether the response contains an access token, which is counted once the response may be sent. */
  readonly hasAccessToken: boolean;
}

/** Builds authorization responses (spec/sign-in.md#authorization-response). */
export interface Responder {
  /** @param sid - The session that the tokens belong to, if there is one. */
  success(request: AuthorizationRequest, accepted: AcceptedProof, sid?: string): Promise<SuccessResponse>;
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
    async success(request, accepted, sid) {
      const { responseType } = request;
      const grant = grantOf(request, accepted, sid);
      const expiresAt = now() + config.signin.codeTtlSeconds * 1000;
      const code = hasWord(responseType, 'code') ? issueCode(request, accepted, sid, expiresAt) : undefined;
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

/** Returns what a sign-in grants. */
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
