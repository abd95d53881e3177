/** Refusals of sign-out (spec/sign-in.md#sign-out). */
export const LOGOUT_ERRORS = {
  'logout.hint_invalid': {
    title: 'The id_token_hint of a sign-out is not an ID token of this service',
    cause: 'It is no ID token, or another service or a removed key signed it. Its expiry does not matter.',
    cure: 'Send the ID token of the last sign-in as it was received, or client_id instead: the person is then asked.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'id_token_hint is not an ID token of this service.',
    },
  },
  'logout.client_differs': {
    title: 'The client_id of a sign-out is not that of the id_token_hint',
    cause: 'The ID token was issued to another client.',
    cure: 'Send the id of the client that received the ID token, or leave client_id out.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'The id_token_hint was issued to another client.',
    },
  },
  'logout.redirect_uri_unknown': {
    title: 'The post_logout_redirect_uri is not one of the client',
    cause: 'It is not byte for byte one of the registered addresses for after a sign-out.',
    cure: 'Register it with `proofgate apps update`, or send a registered one; `apps show` lists them.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_redirect_uri',
      text: 'Invalid post-logout redirect URI.',
    },
  },
  'logout.foreign_origin': {
    title: 'The form of a sign-out came from another origin',
    cause: 'Another site sent it; only the page of this service may.',
    cure: 'Send the browser to the end_session_endpoint.',
    retry: 'never',
    signin: {
      status: 403,
      error: 'access_denied',
      code: 'access_denied',
      text: 'The form came from another origin.',
    },
  },
  'session.unknown': {
    title: 'There is no such session',
    cause: 'Its sid is mistyped, or it has ended.',
    cure: 'List the sessions of the app with `proofgate sessions list`.',
    retry: 'never',
    admin: 404,
  },
} as const;
