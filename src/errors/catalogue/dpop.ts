/** Refusals of proofs of possession (spec/sign-in.md#dpop, RFC 9449). */
export const DPOP_ERRORS = {
  'dpop.invalid_proof': {
    title: 'The DPoP proof is not valid',
    cause:
      'The header or a claim of the proof breaks the rule that the text names, or the proof was used before.',
    cure: 'Make a new proof for each request, as RFC 9449 section 4.2 says; address, method and time must be those of the request.',
    retry: 'never',
    signin: { status: 400, error: 'invalid_dpop_proof', code: 'invalid_dpop_proof' },
  },
  'dpop.invalid_resource_proof': {
    title: 'The DPoP proof for an access token is not valid',
    cause:
      'The header or a claim of the proof breaks the rule that the text names, or the proof is missing or was used before.',
    cure: 'Make a new proof for each request, with the hash of the access token (RFC 9449 section 7.1).',
    retry: 'never',
    signin: { status: 401, error: 'invalid_dpop_proof', code: 'invalid_dpop_proof' },
  },
  'dpop.use_nonce': {
    title: 'The DPoP proof needs a nonce of the service',
    cause: 'The proof has no nonce, or an old one. The answer has a fresh one in its header DPoP-Nonce.',
    cure: 'Make a new proof with that nonce and send the request again.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'use_dpop_nonce',
      code: 'use_dpop_nonce',
      text: 'The DPoP proof needs the nonce of the DPoP-Nonce header.',
    },
  },
  'dpop.use_resource_nonce': {
    title: 'The DPoP proof for an access token needs a nonce of the service',
    cause: 'The proof has no nonce, or an old one. The answer has a fresh one in its header DPoP-Nonce.',
    cure: 'Make a new proof with that nonce and send the request again.',
    retry: 'never',
    signin: {
      status: 401,
      error: 'use_dpop_nonce',
      code: 'use_dpop_nonce',
      text: 'The DPoP proof needs the nonce of the DPoP-Nonce header.',
    },
  },
  'dpop.proof_required': {
    title: 'The client must send a DPoP proof',
    cause: 'The client has dpop_bound_access_tokens, and its token request has no header DPoP.',
    cure: 'Send a proof, or clear the field with `proofgate apps update`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_dpop_proof',
      code: 'invalid_dpop_proof',
      text: 'The client must send a DPoP proof.',
    },
  },
  'dpop.code_key_differs': {
    title: 'The authorization code is bound to another key',
    cause:
      'The authorization request had a dpop_jkt, and the token request has no DPoP proof or one by another key. The code is used up.',
    cure: 'Send a proof by the key whose thumbprint is dpop_jkt, in a new sign-in.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'The authorization code is bound to another key.',
    },
  },
  'dpop.refresh_key_differs': {
    title: 'The refresh token is bound to another key',
    cause:
      'A public client got the token with a DPoP proof, and this request has none or one by another key. The token stays in force.',
    cure: 'Send a proof by the key with which the token was issued.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_grant',
      code: 'invalid_grant',
      text: 'The refresh token is bound to another key.',
    },
  },
  'dpop.token_binding': {
    title: 'The access token and the way it was sent do not fit',
    cause:
      'A token that is bound to a key was sent as Bearer or with a proof by another key, or a token that is bound to no key was sent as DPoP.',
    cure: 'Send a token by the token_type that it was issued with, and a bound one with a proof by its key.',
    retry: 'never',
    signin: { status: 401, error: 'invalid_token', code: 'invalid_token' },
  },
  'dpop.jkt_malformed': {
    title: 'dpop_jkt is malformed',
    cause: 'It is not 43 characters of base64url, the SHA-256 thumbprint of a key.',
    cure: 'Send the RFC 7638 thumbprint of the public key that makes the proofs.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'dpop_jkt: expected the base64url of a SHA-256 thumbprint.',
    },
  },
  'dpop.front_channel': {
    title: 'The client takes no access tokens from the authorization endpoint',
    cause:
      'The client has dpop_bound_access_tokens, and a response_type with token would give it one that is bound to no key.',
    cure: 'Send a response_type without token, or clear the field with `proofgate apps update`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unauthorized_client',
      code: 'unauthorized_client',
      text: 'The client takes access tokens from the token endpoint only.',
    },
  },
} as const;
