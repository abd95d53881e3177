/** Refusals of signing keys (spec/sign-in.md#signing-keys). */
export const SIGNING_KEY_ERRORS = {
  'signing_key.unknown': {
    title: 'No signing key with this kid',
    cause: 'The kid is not in the published set.',
    cure: 'See `proofgate keys list`.',
    retry: 'never',
    admin: 404,
  },
  'signing_key.none': {
    title: 'No signing key is active',
    cause: 'The store has no active or no next key of sign-in; the service makes both at its first start.',
    cure: 'Start the service once; if it ran before, restore the table of signing keys from a backup.',
    retry: 'later',
    admin: 409,
    exit: 75,
    signin: {
      status: 503,
      error: 'temporarily_unavailable',
      code: 'server_error',
      text: 'The service has no signing key at the moment.',
    },
  },
  'signing_key.cannot_open': {
    title: 'A signing key cannot be opened',
    cause: 'Its private part is sealed under another master key, or the row was altered.',
    cure: 'Set keys.masterKey or keys.masterKeyPrevious to the key it was sealed under.',
    retry: 'never',
    exit: 78,
  },
  'signing_key.too_young': {
    title: 'The next key was published too recently',
    cause: 'Verifiers with a cached key set do not know it yet and would refuse its tokens.',
    cure: 'Wait for keys.publishLeadSeconds, or give --force.',
    retry: 'later',
    admin: 409,
  },
  'signing_key.changed': {
    title: 'The keys changed meanwhile',
    cause: 'Another process rotated or removed a key at the same moment; this call changed nothing.',
    cure: 'See `proofgate keys list` and decide again.',
    retry: 'later',
    admin: 409,
    exit: 75,
  },
} as const;
