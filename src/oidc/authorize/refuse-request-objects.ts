import { ServiceError } from '../../errors/index.ts';
import type { Parameters } from '../parameters.ts';

const REFUSALS = [
  ['request', 'authorize.request_not_supported'],
  ['request_uri', 'authorize.request_uri_not_supported'],
  ['registration', 'authorize.registration_not_supported'],
] as const;

/**
 * Refuses the parameters that this service does not support and must not silently ignore
 * (spec/sign-in.md#checks-answered-to-the-app, request-object).
 *
 * @throws ServiceError `authorize.request_not_supported`, `authorize.request_uri_not_supported`,
 *   `authorize.registration_not_supported`
 */
export function refuseRequestObjects(parameters: Parameters): void {
  for (const [path, code] of REFUSALS) {
    if (parameters.get(path) !== undefined) throw new ServiceError(code, undefined, { path });
  }
}
