/** Errors that several endpoints of sign-in share. */
export const SIGNIN_ERRORS = {
  'signin.relying_party_changed': {
    title: 'The relying party of sign-in is another one than before',
    cause:
      'Every sub of World ID 4.0 depends on signin.worldid4.rpId: with another one, everybody would be a new person to every app.',
    cure: 'Set the former rp_id again, or confirm the new one with `proofgate signin confirm-rp`.',
    retry: 'never',
    exit: 78,
  },
  'signin.worldid4_off': {
    title: 'Sign-in does not ask for World ID 4.0',
    cause: 'signin.worldid4.rpId is not set, so that nobody could use the permission.',
    cure: 'Set signin.worldid4.rpId, signin.worldid4.signingKey and verify.worldid4.enabled.',
    retry: 'never',
    admin: 409,
  },
  'person.unknown': {
    title: 'The app knows no such person',
    cause:
      'The person was forgotten or has not returned for signin.worldid4.rememberSeconds, the name is mistyped, or the person signed in with World ID 3.0 alone.',
    cure: 'List the people of the app with `proofgate people list`, and what is stored about one with `proofgate people show`.',
    retry: 'never',
    admin: 404,
  },
  'signin.malformed_parameters': {
    title: 'The parameters cannot be decoded',
    cause: 'A percent escape is broken, or the bytes are not UTF-8.',
    cure: 'Send application/x-www-form-urlencoded text in UTF-8, encoded once.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'The parameters are not application/x-www-form-urlencoded in UTF-8.',
    },
  },
  'signin.repeated_parameter': {
    title: 'A parameter was sent twice',
    cause: 'Client and server could disagree on which value counts.',
    cure: 'Send each parameter once.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_request', code: 'invalid_request' },
  },
  'signin.parameter_required': {
    title: 'A necessary parameter is missing',
    cause: 'The parameter that the attribute names is absent or empty.',
    cure: 'Send it.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'required',
      text: 'This attribute is required.',
    },
  },
  'signin.not_a_form': {
    title: 'The body is not announced as a form',
    cause: 'Content-Type is missing or another than application/x-www-form-urlencoded.',
    cure: 'Send Content-Type: application/x-www-form-urlencoded.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_content_type',
      text: 'Invalid content type. Only application/x-www-form-urlencoded is supported.',
    },
  },
} as const;
