import { createHmac } from 'node:crypto';

/**
 * Secrets of one authorization response. They are made again from a cookie that the browser alone has, so that a response
 * that was lost can be repeated although the store has only their hashes (spec/sign-in.md#repeated-responses).
 */
export interface AnswerSecrets {
  /** Returns an authorization code, 43 characters of base64url. @param number - 1 for the first of the response. */
  code(number: number): string;
  /** Cookie of the session that the sign-in begins: 43 characters of base64url. */
  readonly session: string;
  /** Name of that session in tokens: 22 characters of base64url, not beginning with a hyphen. */
  readonly sid: string;
  /** Cookie by which the browser is recognised, if it has none at the end of the sign-in: 43 characters of base64url. */
  readonly known: string;
}

const SID_BYTES = 16;

/**
 * Returns the secrets of a response: HMAC-SHA-256 under the value of the cookie.
 *
 * @param cookie - At least 256 random bits in base64url; the store has its hash alone.
 * @param id - What is answered: the id of a sign-in, or the hash of a reference.
 */
export function answerSecrets(cookie: string, id: string): AnswerSecrets {
  // No word contains U+0000.
  const derive = (what: string, number = 0): Buffer =>
    createHmac('sha256', cookie).update(`proofgate ${what} v1\0${id}\0${number}`).digest();
  return {
    code: (number) => derive('authorization code', number).toString('base64url'),
    get session() {
      return derive('session').toString('base64url');
    },
    get sid() {
      // A command line would take a leading hyphen for an option.
      for (let number = 0; ; number++) {
        const sid = derive('sid', number).subarray(0, SID_BYTES).toString('base64url');
        if (!sid.startsWith('-')) return sid;
      }
    },
    get known() {
      return derive('known browser').toString('base64url');
    },
  };
}
