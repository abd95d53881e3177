import { RESPONSE_TYPES } from '../config/apps/fields.ts';
import type { Config } from '../config/settings/types.ts';
import { DPOP_ALGORITHMS } from './dpop/read-proof.ts';
import { LANGUAGES } from './languages.ts';
import { OFFLINE_ACCESS } from './parameters.ts';
import { betaClaim, levelClaim } from './token-issuer.ts';
import type { ResponseMode } from './types.ts';

const RESPONSE_MODES: readonly ResponseMode[] = ['query', 'fragment', 'form_post'];
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'];

/** The settings on which the document depends. */
export type DiscoveryConfig = Pick<Config, 'baseUrl' | 'claims' | 'signin'>;

/**
 * Builds the metadata of the provider (spec/sign-in.md#discovery-document), a JSON object. The list of
 * algorithms begins with RS256, which strict clients look for, and also has `RSA`, which other clients
 * expect.
 */
export function discoveryDocument(config: DiscoveryConfig): Readonly<Record<string, unknown>> {
  const { baseUrl, signin } = config;
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/authorize`,
    token_endpoint: `${baseUrl}/token`,
    userinfo_endpoint: `${baseUrl}/userinfo`,
    jwks_uri: `${baseUrl}/jwks`,
    scopes_supported: ['openid', 'email', 'profile', OFFLINE_ACCESS],
    response_types_supported: RESPONSE_TYPES,
    grant_types_supported: ['authorization_code', 'implicit', 'refresh_token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256', 'RSA'],
    response_modes_supported: RESPONSE_MODES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
    introspection_endpoint: `${baseUrl}/introspect`,
    introspection_endpoint_auth_methods_supported: SECRET_METHODS,
    revocation_endpoint: `${baseUrl}/revoke`,
    revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
    ...(signin.sessionSeconds === 0 ? {} : logoutMembers(baseUrl)),
    pushed_authorization_request_endpoint: `${baseUrl}/par`,
    require_pushed_authorization_requests: false,
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    acr_values_supported: ['orb', 'device'],
    claim_types_supported: ['normal'],
    claims_supported: claimNames(config),
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: LANGUAGES,
    ...(signin.documentationUrl === undefined ? {} : { service_documentation: signin.documentationUrl }),
    ...(signin.policyUrl === undefined ? {} : { op_policy_uri: signin.policyUrl }),
    ...(signin.termsUrl === undefined ? {} : { op_tos_uri: signin.termsUrl }),
  };
}

/** Returns the members of sign-out (spec/sign-in.md#sign-out). */
function logoutMembers(baseUrl: string): Readonly<Record<string, unknown>> {
  return {
    end_session_endpoint: `${baseUrl}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  };
}

/** Returns the claims that a token or /userinfo can have under these settings. */
function claimNames(config: DiscoveryConfig): string[] {
  const { beta, emailVerified } = config.claims;
  return [
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'jti',
    'auth_time',
    'acr',
    'nonce',
    ...(config.signin.sessionSeconds === 0 ? [] : ['sid']),
    'at_hash',
    'c_hash',
    'scope',
    'email',
    ...(emailVerified === undefined ? [] : ['email_verified']),
    'name',
    'given_name',
    'family_name',
    ...(beta ? [betaClaim(config)] : []),
    levelClaim(config),
  ];
}
