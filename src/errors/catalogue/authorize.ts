/**
 * Refusals of the authorization endpoint (spec/sign-in.md#authorization-request), and of its form for wallets
 * (spec/sign-in.md#mobile-sign-in).
 */
export const AUTHORIZE_ERRORS = {
  'authorize.query_too_large': {
    title: 'The query of an authorization request is too long',
    cause: 'The query has more than 32 KiB.',
    cure: 'Send the parameters as a form body, which may be as long, or keep state short and its content at the app.',
    retry: 'never',
    signin: {
      status: 414,
      error: 'invalid_request',
      code: 'request_too_large',
      text: 'The query is too large.',
    },
  },
  'authorize.client_unknown': {
    title: 'No app has this client_id',
    cause: 'The client_id is mistyped, was removed, or belongs to another deployment.',
    cure: 'Send the app_id that `proofgate apps list` shows, or add the app with `proofgate apps add`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_client',
      code: 'app_not_found',
      text: 'No app has this client_id.',
    },
  },
  'authorize.sign_in_not_enabled': {
    title: 'The app does not sign people in',
    cause: 'The app is disabled, or has no redirect URI and so only verifies proofs.',
    cure: 'Enable it with `proofgate apps enable`, or register a redirect URI with `proofgate apps update`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'sign_in_not_enabled',
      text: 'Sign-in is not enabled for this app.',
    },
  },
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
  'authorize.response_type_unsupported': {
    title: 'The response_type is not one of the six',
    cause: 'Its words are not a supported set; token alone is none, since it would authenticate nobody.',
    cure: 'Send one of response_types_supported of the discovery document; words are case-sensitive.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unsupported_response_type',
      code: 'unsupported_response_type',
      text: 'The response_type is not supported.',
    },
  },
  'authorize.response_type_not_registered': {
    title: 'The client is not registered for this response_type',
    cause: 'The app was registered with a list of response types that does not hold this one.',
    cure: 'Send a registered type, or add this one with `proofgate apps update`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'unauthorized_client',
      text: 'The client is not registered for this response_type.',
    },
  },
  'authorize.response_mode_invalid': {
    title: 'The response_mode does not exist, or not for this response_type',
    cause:
      'It is none of query, fragment and form_post, or it is query for a type that puts tokens into the answer.',
    cure: 'Leave response_mode out, or send fragment or form_post.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_request', code: 'invalid_request' },
  },
  'authorize.request_not_supported': {
    title: 'Request objects are not supported',
    cause: 'The parameter request was sent.',
    cure: 'Send the parameters one by one.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'request_not_supported',
      code: 'request_not_supported',
      text: 'The parameter request is not supported.',
    },
  },
  'authorize.request_uri_not_supported': {
    title: 'Request objects by reference are not supported',
    cause: 'The parameter request_uri was sent and is no reference of a pushed request.',
    cure: 'Send the parameters one by one, or push them to /par and send the request_uri of its response.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'request_uri_not_supported',
      code: 'request_uri_not_supported',
      text: 'The parameter request_uri is not supported.',
    },
  },
  'authorize.request_uri_invalid': {
    title: 'No pushed request has this reference',
    cause:
      'The request_uri is unknown or belongs to another client, or it has expired so long ago that it is forgotten.',
    cure: 'Push the request again, and send the browser to /authorize with the new request_uri.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request_uri',
      code: 'invalid_request_uri',
      text: 'The request_uri is unknown or has expired.',
    },
  },
  'authorize.request_uri_used': {
    title: 'The pushed request was answered',
    cause:
      'One response is issued to each pushed request, and it was: to a sign-in that began with the request_uri, perhaps in another browser, or from a session.',
    cure: 'Go back to the app. If it does not know you, it pushes another request, with another request_uri.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request_uri',
      code: 'invalid_request_uri',
      text: 'The request_uri was used before.',
    },
  },
  'authorize.request_uri_expired': {
    title: 'The pushed request has expired',
    cause:
      'The browser came with the request_uri later than signin.pushedRequestSeconds after it was pushed.',
    cure: 'Push the request again, and send the browser to /authorize at once.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request_uri',
      code: 'invalid_request_uri',
      text: 'The request_uri has expired.',
    },
  },
  'authorize.request_uri_pushed': {
    title: 'A reference cannot be pushed',
    cause: 'The parameter request_uri was sent to /par.',
    cure: 'Push the parameters themselves.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'The parameter request_uri cannot be pushed.',
    },
  },
  'authorize.push_required': {
    title: 'This client must push its requests',
    cause:
      'The app was registered with require_pushed_authorization_requests, and the request was not pushed.',
    cure: 'Push the parameters to /par and send the browser with the request_uri of its response.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'This client must push its requests.',
    },
  },
  'authorize.registration_not_supported': {
    title: 'Clients do not register themselves',
    cause: 'The parameter registration was sent.',
    cure: 'Register the client with `proofgate apps add` and leave the parameter out.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'registration_not_supported',
      code: 'registration_not_supported',
      text: 'The parameter registration is not supported.',
    },
  },
  'authorize.scope_without_openid': {
    title: 'The scope lacks openid',
    cause: 'This service signs people in by OpenID Connect only, which asks for that scope.',
    cure: 'Add openid to the scope.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_scope',
      code: 'invalid_scope',
      text: 'The scope must include openid.',
    },
  },
  'authorize.challenge_unsupported': {
    title: 'The PKCE challenge is not one of S256',
    cause: 'code_challenge_method is absent or not S256, or code_challenge is not 43 base64url characters.',
    cure: 'Send the base64url SHA-256 of the verifier as code_challenge and S256 as code_challenge_method.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'transform algorithm not supported',
    },
  },
  'authorize.challenge_missing': {
    title: 'A PKCE method was sent without a challenge',
    cause: 'code_challenge_method is there, code_challenge is not.',
    cure: 'Send both or neither.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'code_challenge_method was sent without code_challenge.',
    },
  },
  'authorize.challenge_required': {
    title: 'This client must use PKCE',
    cause: 'The client is public or was registered with require_pkce, and sent no code_challenge.',
    cure: 'Send code_challenge and code_challenge_method=S256.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'This client must send a code_challenge.',
    },
  },
  'authorize.max_age_invalid': {
    title: 'max_age is not a whole number of seconds',
    cause: 'It holds something else than decimal digits.',
    cure: 'Send a non-negative integer, or leave it out: each sign-in takes a fresh proof.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'max_age must be a non-negative integer.',
    },
  },
  'authorize.prompt_invalid': {
    title: 'prompt=none was sent with other values',
    cause: 'none cannot be combined with anything.',
    cure: 'Send one or the other.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'prompt=none cannot be combined with other values.',
    },
  },
  'authorize.login_required': {
    title: 'Nobody can be signed in without being asked',
    cause:
      'prompt=none was sent, and the browser has no session with the app that answers the request: the person did not ask for one, it ended, sessions are off (signin.sessionSeconds), the browser keeps the cookie from a hidden frame, or the request asks for a younger proof, a higher level or another person.',
    cure: 'Send the request again without prompt=none when the person is there.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'login_required',
      code: 'login_required',
      text: 'The person must be asked for a proof.',
    },
  },
  'authorize.interaction_required': {
    title: 'The session of the browser does not answer this client unseen',
    cause:
      'prompt=none was sent, and the browser has a session that would answer, but the redirect URI is that of a native client (loopback or private scheme), which any program of the machine may claim, or the response type has a token in the front channel and the client was not registered for it by name.',
    cure: 'Send the request again without prompt=none when the person is there; a web client uses response_type=code, or names its types: proofgate apps update ID --response-types.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'interaction_required',
      code: 'interaction_required',
      text: 'The person must be asked: this client is not answered without a page.',
    },
  },
  'authorize.hint_invalid': {
    title: 'The id_token_hint is not an ID token of this service for the client',
    cause:
      'It is no ID token, another service or a removed key signed it, or it was issued to another client. Its expiry does not matter.',
    cure: 'Send the ID token of the last sign-in as it was received, or leave id_token_hint out.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'id_token_hint is not an ID token of this service for the client.',
    },
  },
  'authorize.body_not_an_object': {
    title: 'The body of a wallet request is not a JSON object of texts',
    cause: 'It is no JSON in UTF-8, no object, or a known member is not a text without lone surrogates.',
    cure: 'Send one JSON object; each parameter of /authorize is a string member of it.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_request', code: 'invalid_request' },
  },
  'authorize.form_post_to_wallet': {
    title: 'A wallet cannot open an answer by form_post',
    cause: 'The wallet opens an address; response_mode=form_post has none.',
    cure: 'Send response_mode=fragment, or leave it out.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_response_mode',
      text: 'response_mode=form_post cannot be answered to a wallet.',
    },
  },
  'authorize.signal_is_not_nonce': {
    title: 'The client is not registered for wallets that answer themselves',
    cause: 'The app was registered without signal_is_nonce, so its proofs are bound to a sign-in page.',
    cure: 'Open the /authorize address in a browser, or register the app with signal_is_nonce.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'unauthorized_client',
      text: 'The client is not registered with signal_is_nonce.',
    },
  },
} as const;
