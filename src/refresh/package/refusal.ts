import { ServiceError } from '../../errors/index.ts';

/** The rules of a custody package (spec/refresh.md#package-checks), as they are named in the log. */
export type PackageRule =
  | 'parts'
  | 'manifest'
  | 'version'
  | 'digest'
  | 'signup_reason'
  | 'orb_key'
  | 'signature'
  | 'enrolment';

/**
 * Creates the refusal of a package (spec/refresh.md#order-of-checks, package).
 *
 * @param rule - For the log.
 * @param path - Name of the offending part of the request.
 * @param message - For the caller: names the rule and part, and contains no value.
 */
export function packageRefusal(rule: PackageRule, path: string, message: string): ServiceError {
  return new ServiceError('refresh.package_invalid', message, { check: 13, rule, path });
}
