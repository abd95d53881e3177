/** Refusals of /token, /userinfo, /introspect and /revoke (signin.md 5.6 to 5.10). */
export const TOKEN_ERRORS = {
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
} as const;
