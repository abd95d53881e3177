import { ServiceError } from '../../errors/index.ts';
import { type Parameters, wordsOf } from '../parameters.ts';

/** How fresh the proof behind an answer must be. */
export interface Freshness {
  /** `prompt=none`: the person must not be asked. */
  readonly isSilent: boolean;
  /** Another prompt: the person must be asked. */
  readonly asksAgain: boolean;
  /** Most seconds since the proof; absent if any age will do. */
  readonly maxAgeSeconds?: number;
}

/** Ages beyond this are the same: no session lives as long. */
const MAX_AGE_DIGITS = 10;

/**
 * Reads `max_age` and `prompt` (spec/sign-in.md#checks-answered-to-the-app, freshness). Every value of `prompt`
 * except `none` asks for a fresh proof.
 *
 * @throws ServiceError `authorize.max_age_invalid`, `authorize.prompt_invalid`
 */
export function readFreshness(parameters: Parameters): Freshness {
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d+$/.test(maxAge)) {
    throw new ServiceError('authorize.max_age_invalid', undefined, { path: 'max_age' });
  }
  const prompts = new Set(wordsOf(parameters.get('prompt')));
  const isSilent = prompts.has('none');
  if (isSilent && prompts.size > 1) {
    throw new ServiceError('authorize.prompt_invalid', undefined, { path: 'prompt' });
  }
  const isBounded = maxAge !== undefined && maxAge.replace(/^0+/, '').length <= MAX_AGE_DIGITS;
  return {
    isSilent,
    asksAgain: prompts.size > 0 && !isSilent,
    ...(isBounded ? { maxAgeSeconds: Number(maxAge) } : {}),
  };
}
