const TOO_MANY = {
  status: 503,
  error: 'temporarily_unavailable',
  code: 'server_error',
  text: 'Too many sign-ins are open. Please try again later.',
} as const;

/**
 * Errors of the sign-in page and of the steps behind it (spec/sign-in.md#page-routes and
 * spec/sign-in.md#proof-checks).
 */
export const TRANSACTION_ERRORS = {
  'transaction.not_found': {
    title: 'No such sign-in for this browser',
    cause:
      'The sign-in is unknown or over, or its cookie did not come: cookies are blocked, the link was opened in another browser, the page has another host than baseUrl, baseUrl is http and the browser takes no secure cookies over it (Safari), or the browser has begun more than 32 sign-ins since.',
    cure: 'Start again at the app that sent you; open the page at the host of baseUrl with cookies allowed.',
    retry: 'never',
    signin: { status: 403, error: 'access_denied', code: 'session_not_found' },
  },
  'transaction.redeemed': {
    title: 'The app has taken the response of the sign-in',
    cause: 'The app has redeemed the code of the sign-in, whose response is not given again after that.',
    cure: 'Go back to the app and, where it does not know you, start again there.',
    retry: 'never',
    signin: {
      status: 403,
      error: 'access_denied',
      code: 'session_not_found',
      text: 'The app has taken the response of this sign-in.',
    },
  },
  'transaction.finished': {
    title: 'The sign-in is finished',
    cause: 'An earlier release of the service has sent its response, once; whether it arrived is not known.',
    cure: 'Go back to the app and, where it does not know you, start again there.',
    retry: 'never',
    signin: {
      status: 403,
      error: 'access_denied',
      code: 'session_not_found',
      text: 'This sign-in is already finished.',
    },
  },
  'transaction.too_many': {
    title: 'Too many sign-ins are open',
    cause:
      'Over all nodes, signin.maxPendingTransactions sign-ins are open, or their bytes reached signin.maxPendingBytes.',
    cure: 'Try again later. The operator first looks for a client that opens sign-ins in a loop, then raises the limits.',
    retry: 'later',
    signin: TOO_MANY as typeof TOO_MANY,
  },
  'transaction.too_many_of_client': {
    title: 'Too many sign-ins of this client are open',
    cause:
      'The open sign-ins of the client reached signin.maxPendingPercentPerClient of signin.maxPendingTransactions or of signin.maxPendingBytes. Other clients are not affected.',
    cure: 'Try again later. The operator checks whether the client opens sign-ins in a loop, or raises the limits.',
    retry: 'later',
    signin: TOO_MANY as typeof TOO_MANY,
  },
  'transaction.too_many_of_network': {
    title: 'The network started too many sign-ins',
    cause:
      'The sign-ins that this IPv4 address or IPv6 /48 started within signin.transactionTtlSeconds reached signin.maxBegunBytesPerNetwork, over all nodes.',
    cure: 'Try again later. If all clients arrive under the address of a proxy, the operator sets proxy.trusted.',
    retry: 'later',
    signin: TOO_MANY as typeof TOO_MANY,
  },
  'transaction.answer_unreadable': {
    title: 'The answer of the wallet cannot be decrypted',
    cause: 'It was not sealed with the key of the connect URL, or there is no JSON object in it.',
    cure: 'Try again with the newest QR code; a wallet seals with AES-256-GCM under the key of the URL.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'invalid_format',
      text: 'The answer of the wallet could not be read. Please try again.',
    },
  },
  'transaction.answer_format': {
    title: 'The answer of the wallet is not a proof',
    cause:
      'proof is not 0x and 512 hex digits, or merkle_root or nullifier_hash is not 0x and 1 to 64 hex digits of a number below r.',
    cure: 'Use a wallet that answers in the form of spec/sign-in.md#wallet-answer.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'invalid_format',
      text: 'The proof of the wallet does not have the expected form.',
    },
  },
  'transaction.root_unknown': {
    title: 'The Merkle root of the proof is unknown',
    cause: 'It is neither in the tree orb nor in the tree device of the environment of the client.',
    cure: 'Use a wallet of the same environment (staging clients have trees of their own); see `proofgate roots list`.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'invalid_merkle_root',
      text: 'The proof was made with a list of people that this service does not know.',
    },
  },
  'transaction.root_too_old': {
    title: 'The Merkle root of the proof is too old',
    cause: 'It is not the current root of its tree, and was received more than signin.maxRootAgeSeconds ago.',
    cure: 'Try again: the wallet then proves with the current root.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'root_too_old',
      text: 'The proof was made with an outdated list of people. Please try again.',
    },
  },
  'transaction.proof_invalid': {
    title: 'The proof does not hold',
    cause: 'It is malformed, false, or made for another sign-in, another app or another root.',
    cure: 'Try again with the newest QR code.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'invalid_proof',
      text: 'The proof is not valid for this sign-in. Please try again.',
    },
  },
  'transaction.proof_spent': {
    title: 'The proof was used before',
    cause:
      'The client has signal_is_nonce, and a sign-in with this nonce and this person was completed before.',
    cure: 'Send a new nonce with each request.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'invalid_proof',
      text: 'This proof has already been used. Please try again.',
    },
  },
  'transaction.orb_required': {
    title: 'An orb proof was asked for, and another was shown',
    cause: 'acr_values asks for orb alone, and the root of the proof belongs to the tree device.',
    cure: 'Use an identity that is in the tree orb, or do not ask for orb alone.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'unmet_authentication_requirements',
      code: 'unmet_authentication_requirements',
      text: 'The app asks for an orb proof, and the wallet showed another credential.',
    },
  },
  'transaction.other_person': {
    title: 'Another person has proven than the app expects',
    cause: 'The request had an id_token_hint, and the proof is of a person with another sub.',
    cure: 'Let that person prove, or send the request without id_token_hint.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'login_required',
      code: 'login_required',
      text: 'The app expects another person than the one who has proven.',
    },
  },
  'transaction.passkey_refused': {
    title: 'The passkey is not accepted',
    cause:
      'No person of this app is known by it, it was forgotten or has expired, its signature does not hold for this attempt and this origin, or it was made elsewhere or by another sign-in. The answer does not say which.',
    cure: 'Try another passkey, or sign in without one. If none is ever accepted, compare baseUrl with the address that the browser shows.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'access_denied',
      code: 'passkey_refused',
      text: 'The passkey is not accepted.',
    },
  },
  'transaction.check_failed': {
    title: 'The proof could not be checked',
    cause: 'The root has no verifying key, or its key cannot be loaded; the log has the reason.',
    cure: 'Bind a key with verify.key.<environment>, or give the root one; see `proofgate doctor`.',
    retry: 'later',
    signin: {
      status: 500,
      error: 'server_error',
      code: 'server_error',
      text: 'This service could not check the proof.',
    },
  },
  'transaction.bridge_unreachable': {
    title: 'The wallet bridge cannot be reached',
    cause: 'bridge.url names another bridge, and it did not take the request within 5 seconds.',
    cure: 'Try again. The operator checks bridge.url and the network.',
    retry: 'later',
    signin: {
      status: 503,
      error: 'temporarily_unavailable',
      code: 'server_error',
      text: 'The wallet bridge could not be reached. Please try again.',
    },
  },
} as const;
