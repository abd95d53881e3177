/** Refusals of the authorization endpoint (signin.md 5.3). */
export const AUTHORIZE_ERRORS = {
  'authorize.redirect_uri_unknown': {
    title: 'The redirect URI is not one of the client',
    cause: 'It is not byte for byte one of the registered URIs.',
    cure: 'Register it with `proofgate apps update`, or send a registered one; `apps show` lists them.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_redirect_uri',
      text: 'Invalid redirect URI.',
    },
  },
} as const;
