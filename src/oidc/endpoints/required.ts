import { ServiceError } from '../../errors/index.ts';
import type { Parameters } from '../parameters.ts';

/**
 * The value of a parameter that must be there.
 *
 * @throws ServiceError `signin.parameter_required`, its path the name
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new ServiceError('signin.parameter_required', undefined, { path: name });
  return value;
}
