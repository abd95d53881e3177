import type { Clients } from '../../apps/clients.ts';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AccessTokenClaims, AccessTokens } from '../access-tokens.ts';
import type { Dpop } from '../dpop/check-proof.ts';
import { createUserClaims } from '../token-issuer.ts';
import {
  type AnswerFacts,
  type FailureDecision,
  invalidTokenChallenge,
  type ProofHeader,
  type TokenCall,
  tokenOf,
} from './authenticate-client.ts';
import { dpopChallenge, refuseBound, requireProof, tokenChallenges } from './check-dpop.ts';

/** Dependencies of `createUserInfo`. */
export interface UserInfoParts {
  readonly accessTokens: Pick<AccessTokens, 'validate'>;
  readonly dpop: Dpop;
  readonly clients: Pick<Clients, 'find'>;
  readonly config: Pick<Config, 'baseUrl' | 'claims'>;
  /** Counts requests with a proof per person and client, since each writes to the store; if absent, they are not limited. */
  readonly countProof?: (claims: AccessTokenClaims) => FailureDecision;
}

/** A request for user information. */
export interface UserInfoCall extends Pick<TokenCall, 'authorization'>, ProofHeader {
  readonly method: string;
  readonly facts: AnswerFacts;
}

/** Claims about the person, for a relying party. */
export type UserInfo = Readonly<Record<string, unknown>>;

/**
 * Creates the lookup of user information (spec/sign-in.md#user-information): the claims for the access token
 * in the Authorization header.
 *
 * @returns A function that throws ServiceError `token.bearer_missing`, `token.not_active`, `http.rate_limited`, those
 *   of `refuseBound` and `requireProof`, `store.unreachable`
 */
export function createUserInfo(parts: UserInfoParts): (call: UserInfoCall) => Promise<UserInfo> {
  const { accessTokens, dpop, config, clients } = parts;
  const { baseUrl } = config;
  const userClaims = createUserClaims(config, clients);

  async function validate(token: string, challenge: string): Promise<AccessTokenClaims> {
    const valid = await accessTokens.validate(token);
    if (valid === undefined)
      throw new ServiceError('token.not_active', undefined, { path: 'token', challenge });
    return valid;
  }

  async function readBound(token: string, { method, proof, facts }: UserInfoCall): Promise<UserInfo> {
    const text = 'Token is invalid or expired.';
    const valid = await validate(token, dpopChallenge(baseUrl, 'invalid_token', text));
    const request = { method, address: `${baseUrl}/userinfo`, token, claims: valid, proof, baseUrl };
    facts.client = valid.clientId;
    const decision = parts.countProof?.(valid);
    if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
    await requireProof(dpop, request);
    return await userClaims(valid);
  }

  return async (call) => {
    const { authorization = '', facts } = call;
    const bound = tokenOf(authorization, 'dpop');
    if (bound !== '') {
      facts.nonce = dpop.nonce;
      return await readBound(bound, call);
    }
    const token = tokenOf(authorization, 'bearer');
    if (token === '') {
      throw new ServiceError('token.bearer_missing', undefined, { challenge: tokenChallenges(baseUrl) });
    }
    const valid = await validate(token, invalidTokenChallenge(baseUrl));
    facts.client = valid.clientId;
    refuseBound(valid, baseUrl);
    return await userClaims(valid);
  };
}
