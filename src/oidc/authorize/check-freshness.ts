import { ServiceError } from '../../errors/index.ts';
import { type Parameters, wordsOf } from '../parameters.ts';

/**
 * Checks `max_age` and `prompt` (spec/sign-in.md#checks-answered-to-the-app, freshness). A fresh proof
 * satisfies all values except `prompt=none`, which requires a session that this service does not keep
 * (spec/sign-in.md#principles, no-session).
 *
 * @throws ServiceError `authorize.max_age_invalid`, `authorize.prompt_invalid`, `authorize.login_required`
 */
export function checkFreshness(parameters: Parameters): void {
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d+$/.test(maxAge)) {
    throw new ServiceError('authorize.max_age_invalid', undefined, { path: 'max_age' });
  }
  const prompts = new Set(wordsOf(parameters.get('prompt')));
  if (!prompts.has('none')) return;
  const code = prompts.size > 1 ? 'authorize.prompt_invalid' : 'authorize.login_required';
  throw new ServiceError(code, undefined, { path: 'prompt' });
}
