/**
 * Refusals of /token, /userinfo, /introspect and /revoke (spec/sign-in.md#token-endpoint to
 * spec/sign-in.md#client-authentication).
 */
export const TOKEN_ERRORS = {
  'client.no_credentials': {
    title: 'The client sent no credentials',
    cause:
      'There is neither an Authorization header nor a client_id in the body; for proofs of any circuit, no Bearer header.',
    cure: 'Send HTTP Basic, or client_id and client_secret in the body; a public client sends client_id alone. For proofs of any circuit send Authorization: Bearer, with app id, a dot and secret.',
    retry: 'never',
    verify: { status: 401, code: 'unauthenticated', detail: 'A bearer token of an app is required.' },
    signin: {
      status: 401,
      error: 'invalid_client',
      code: 'unauthenticated',
      text: 'Please provide your app authentication credentials.',
    },
  },
  'client.invalid_credentials': {
    title: 'The credentials of the client are not valid',
    cause:
      'The client is unknown or disabled, its secret is wrong, missing or expired, a public client sent one or called /introspect, or the Authorization header is not decodable Basic or no token of an app.',
    cure: 'Compare client_id and secret with the registration; `proofgate apps rotate-secret` makes a new secret.',
    retry: 'never',
    verify: { status: 401, code: 'unauthenticated', detail: 'The token is not valid.' },
    signin: {
      status: 401,
      error: 'invalid_client',
      code: 'unauthenticated',
      text: 'Invalid authentication credentials.',
    },
  },
  'client.too_many_failures': {
    title: 'Too many failed authentications of a client from this address',
    cause: 'There were more than rateLimits.clientAuthFailures of them within a minute.',
    cure: 'Correct the credentials of the client. Valid ones are accepted at any time.',
    retry: 'later',
    verify: {
      status: 429,
      code: 'rate_limit_exceeded',
      detail: 'Too many failed authentications. Please try again later.',
    },
    signin: {
      status: 429,
      error: 'temporarily_unavailable',
      code: 'rate_limit',
      text: 'Too many failed authentications. Please try again later.',
    },
  },
  'client.two_methods': {
    title: 'The client authenticates in two ways in one request',
    cause: 'There is an Authorization header, and a client_secret in the body.',
    cure: 'Send one of the two.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'Only one way of client authentication may be used: the Authorization header or the body.',
    },
  },
  'client.id_differs': {
    title: 'The client sent two different client ids',
    cause: 'client_id in the body is not the one of the Authorization header.',
    cure: 'Send the same client_id, or none in the body.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'client_id differs from the one of the Authorization header.',
    },
  },
  'token.authorization_too_large': {
    title: 'The Authorization header is over its limit',
    cause: 'It has more than 8 KiB.',
    cure: 'Send the token or the credentials as they were issued.',
    retry: 'never',
    signin: {
      status: 413,
      error: 'invalid_request',
      code: 'request_too_large',
      text: 'The Authorization header is too large.',
    },
  },
  'token.grant_type_missing': {
    title: 'grant_type is missing',
    cause: 'The request does not say what it exchanges.',
    cure: 'Send grant_type=authorization_code, or refresh_token.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_grant_type',
      text: 'Invalid grant type. Only authorization_code and refresh_token are supported.',
    },
  },
  'token.grant_type_unsupported': {
    title: 'grant_type is not supported',
    cause: 'It is neither authorization_code nor refresh_token.',
    cure: 'Send grant_type=authorization_code, or refresh_token.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unsupported_grant_type',
      code: 'invalid_grant_type',
      text: 'Invalid grant type. Only authorization_code and refresh_token are supported.',
    },
  },
  'token.invalid_code': {
    title: 'The authorization code is not valid',
    cause: 'It is unknown, expired, used, or belongs to another client.',
    cure: 'Begin a new sign-in. A code works once, within signin.codeTtlSeconds.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'Invalid authorization code.',
    },
  },
  'token.invalid_refresh_token': {
    title: 'The refresh token is not valid',
    cause:
      'It is unknown, expired, revoked, was replaced by a newer one, or belongs to another client, or the client may no longer have refresh tokens.',
    cure: 'Begin a new sign-in. Keep the refresh token of each answer, and use it once.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'Invalid refresh token.',
    },
  },
  'token.scope_not_granted': {
    title: 'The scope is more than was granted',
    cause:
      'A request with a refresh token names a scope that the person did not grant, or leaves out openid.',
    cure: 'Send no scope, or some of the granted ones, openid among them.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_scope',
      code: 'invalid_scope',
      text: 'scope: expected openid and only scopes that were granted.',
    },
  },
  'token.redirect_uri_differs': {
    title: 'redirect_uri is not that of the authorization request',
    cause: 'The two differ by at least one byte. The code is used up.',
    cure: 'Send the same redirect_uri to /authorize and to /token, in a new sign-in.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'redirect_uri differs from the one of the authorization request.',
    },
  },
  'token.verifier_missing': {
    title: 'The PKCE verifier is missing',
    cause: 'The authorization request had a code_challenge. The code is used up.',
    cure: 'Send the code_verifier from which the challenge was made, in a new sign-in.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'code_verifier is missing: the authorization request had a code_challenge.',
    },
  },
  'token.verifier_unexpected': {
    title: 'There is a PKCE verifier without a challenge',
    cause:
      'The authorization request had no code_challenge, or it was removed in transit. The code is used up.',
    cure: 'Send code_challenge and code_challenge_method=S256 to /authorize, or no code_verifier.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'code_verifier is unexpected: the authorization request had no code_challenge.',
    },
  },
  'token.verifier_malformed': {
    title: 'The PKCE verifier is malformed',
    cause: 'It is not 43 to 128 of the characters A-Z a-z 0-9 - . _ ~. The code is used up.',
    cure: 'Make the verifier as RFC 7636 section 4.1 says, for a new sign-in.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'code_verifier is malformed: expected 43 to 128 unreserved characters.',
    },
  },
  'token.verifier_differs': {
    title: 'The PKCE verifier does not match the challenge',
    cause: 'Its SHA-256 is not the code_challenge of the authorization request. The code is used up.',
    cure: 'Keep a separate verifier for each sign-in; start a new sign-in.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'code_verifier does not match the code_challenge.',
    },
  },
  'token.bearer_missing': {
    title: 'There is no access token',
    cause: 'The Authorization header is missing, or its scheme is not Bearer.',
    cure: 'Send Authorization: Bearer and the access token. A token in the body or the query is not read.',
    retry: 'never',
    signin: {
      status: 401,
      error: 'invalid_token',
      code: 'unauthenticated',
      text: 'Missing credentials.',
    },
  },
  'token.not_active': {
    title: 'The token is not an active access token',
    cause:
      'It is malformed, expired or revoked, an ID token, signed with a key that is not published, or its client is gone or disabled.',
    cure: 'Begin a new sign-in. `proofgate tokens introspect` shows the reason.',
    retry: 'never',
    signin: {
      status: 401,
      error: 'invalid_token',
      code: 'invalid_token',
      text: 'Token is invalid or expired.',
    },
  },
  'token.of_another_client': {
    title: 'The token belongs to another client',
    cause: 'A client tried to revoke an access token that was issued to another one.',
    cure: 'Revoke it as the client that received it, or use `proofgate tokens revoke`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_token',
      text: 'The token was issued to another client.',
    },
  },
} as const;
