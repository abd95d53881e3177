const SENTENCES: Readonly<Record<string, string>> = {
  access_denied: 'The person declined, or left the sign-in page. An app offers to try again.',
  unmet_authentication_requirements:
    'This app takes proofs of the orb tree alone, and the wallet had none. Enrol the identity in Orb, or ask for “orb or device”.',
  login_required: 'The app asked for a sign-in without a page, and here every sign-in asks the person.',
  invalid_request: 'The request of the app is malformed; the description says where.',
  invalid_scope: 'The app asked for scopes without openid, or with none at all.',
  unauthorized_client: 'The app is not registered for what it asked.',
  unsupported_response_type: 'The service does not give this response type.',
  server_error: 'The wallet or the service failed. Trying again may help.',
  temporarily_unavailable: 'The service has too much to do just now. Try again in a moment.',
};

/**
 * What an `error` of an authorization response means to whoever builds an app
 * (spec/sign-in.md#further-codes).
 */
export function explainError(error: string): string {
  return SENTENCES[error] ?? `The service answered with the error ${error}.`;
}
