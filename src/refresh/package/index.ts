/**
 * The custody package of an orb (refresh.md section 6): what a holder's own capture must show before claims[0] is
 * made of it. One file a rule; `check-package.ts` has their order.
 */
export { type CheckedPackage, checkPackage, type PackageChecks } from './check-package.ts';
