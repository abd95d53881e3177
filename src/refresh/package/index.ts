/**
 * The custody package of an orb (spec/refresh.md#custody-package): the checks of a holder's own capture
 * before claims[0] is derived from it. Each rule has a file; `check-package.ts` has their order.
 */
export { type CheckedPackage, checkPackage, type PackageChecks } from './check-package.ts';
