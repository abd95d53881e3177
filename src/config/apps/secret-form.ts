/** Form of a client secret (spec/sign-in.md#client-secrets): 24 random bytes, so that nobody guesses one. */
export const SECRET_PATTERN = '^sk_[0-9a-f]{48}$';

/** The same in words that follow "expected". */
export const SECRET_FORM = 'sk_ and 48 lower-case hex digits, such as openssl rand -hex 24 gives';
