/**
 * Parsing of a refresh request, none of which is trusted yet: checks 4 to 6 of
 * spec/refresh.md#order-of-checks.
 */
export { encryptedUserId } from './encrypted-user-id.ts';
export { parseForm, type RefreshForm } from './parse-form.ts';
export { parseIdComm } from './parse-id-comm.ts';
export { parseSub } from './parse-sub.ts';
export {
  MANIFEST_PART,
  PACKAGE_PARTS,
  PACKAGE_VALUES,
  type PackagePart,
  type PackageValue,
  type PartName,
  SHARE_PARTS,
  type SharePart,
  SIGNATURE_PART,
} from './part-names.ts';
