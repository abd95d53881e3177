/** Refusals of signing keys (signin.md section 11). */
export const SIGNING_KEY_ERRORS = {
  'signing_key.unknown': {
    title: 'No signing key with this kid',
    cause: 'The kid is not in the published set.',
    cure: 'See `proofgate keys list`.',
    retry: 'never',
  },
} as const;
