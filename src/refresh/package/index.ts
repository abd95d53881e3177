/**
 * The custody package of an orb (spec/refresh.md#custody-package): what a holder's own capture must show
 * before claims[0] is made of it. One file a rule; `check-package.ts` has their order.
 */
export { type CheckedPackage, checkPackage, type PackageChecks } from './check-package.ts';
