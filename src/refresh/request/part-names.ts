/** Values of a custody package, each with its salt (spec/refresh.md#form-parts). */
export const PACKAGE_VALUES = [
  'signup_id',
  'orb_id',
  'operator_id',
  'signup_reason',
  'timestamp',
  'software_version',
  'orb_country',
] as const;

/** Name of a package value. */
export type PackageValue = (typeof PACKAGE_VALUES)[number];

/** Texts of the three iris code shares. */
export const SHARE_PARTS = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'] as const;

/** Name of an iris code share. */
export type SharePart = (typeof SHARE_PARTS)[number];

/** The manifest of a custody package. */
export const MANIFEST_PART = 'hashes.json' as const;

/** The orb's signature of the manifest. */
export const SIGNATURE_PART = 'hashes.sign' as const;

/** Name of a part that belongs to a custody package. */
export type PackagePart =
  | PackageValue
  | `${PackageValue}_salt`
  | SharePart
  | typeof MANIFEST_PART
  | typeof SIGNATURE_PART;

/** Every known name; a part with another name is ignored. */
export type PartName = 'sub' | 'encrypted_user_id' | PackagePart;

/** The 19 parts of a custody package, in the order of spec/refresh.md#form-parts. */
export const PACKAGE_PARTS: readonly PackagePart[] = [
  ...PACKAGE_VALUES,
  ...PACKAGE_VALUES.map((value) => `${value}_salt` as const),
  ...SHARE_PARTS,
  MANIFEST_PART,
  SIGNATURE_PART,
];

const KNOWN: ReadonlySet<string | undefined> = new Set(['sub', 'encrypted_user_id', ...PACKAGE_PARTS]);

/** Whether the interface reads parts of this name. */
export function isPartName(name: string | undefined): name is PartName {
  return KNOWN.has(name);
}
