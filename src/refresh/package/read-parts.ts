import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../bytes.ts';
import {
  MANIFEST_PART,
  PACKAGE_PARTS,
  PACKAGE_VALUES,
  type PackagePart,
  type PackageValue,
  type RefreshForm,
  SHARE_PARTS,
  type SharePart,
  SIGNATURE_PART,
} from '../request/index.ts';
import { packageRefusal } from './refusal.ts';

/** A package value with its salt, each as the exact bytes of its part, which are UTF-8. */
export interface SaltedValue {
  readonly name: PackageValue;
  readonly value: Uint8Array;
  readonly salt: Uint8Array;
}

/** A share text: the exact bytes of its part, which are UTF-8. */
export interface Share {
  readonly name: SharePart;
  readonly bytes: Uint8Array;
}

/** The 19 parts of a package, none of them empty. */
export interface PackageParts {
  /** All seven values. */
  readonly values: readonly SaltedValue[];
  /** All three shares. */
  readonly shares: readonly Share[];
  /** Exact bytes of `hashes.json`, with any content. */
  readonly manifest: Uint8Array;
  /** Exact bytes of `hashes.sign`, with any content. */
  readonly signature: Uint8Array;
  /** Returns the text of a value. */
  textOf(name: PackageValue): string;
}

const VALUE_BYTES = 256;
const SALT_BYTES = 128;
const SHARE_BYTES = 262_144;

/** Maximum bytes of each part: more than any orb writes, and a bound on the input of the other rules. */
const LIMITS: ReadonlyMap<PackagePart, number> = new Map<PackagePart, number>([
  ...PACKAGE_VALUES.flatMap((value): [PackagePart, number][] => [
    [value, VALUE_BYTES],
    [`${value}_salt`, SALT_BYTES],
  ]),
  ...SHARE_PARTS.map((part): [PackagePart, number] => [part, SHARE_BYTES]),
  [MANIFEST_PART, 65_536],
  [SIGNATURE_PART, 80],
]);

/**
 * Reads all 19 parts (spec/refresh.md#package-checks, parts): each is present, not empty and within its
 * limit; texts are UTF-8.
 *
 * @throws ServiceError `refresh.package_invalid` naming the first offending part: absent ones first, then
 *   those that are too long
 */
export function readParts(form: RefreshForm): PackageParts {
  const bytesOf = (part: PackagePart): Uint8Array => {
    const bytes = form.parts.get(part);
    if (bytes === undefined || bytes.length === 0) {
      throw packageRefusal('parts', part, `${part}: missing or empty, a package has all its 19 parts`);
    }
    return bytes;
  };
  for (const part of PACKAGE_PARTS) bytesOf(part);
  for (const [part, limitBytes] of LIMITS) checkLength(part, bytesOf(part).length, limitBytes);
  for (const part of PACKAGE_PARTS) {
    const isText = part !== MANIFEST_PART && part !== SIGNATURE_PART;
    if (isText && !isUtf8(bytesOf(part))) throw packageRefusal('parts', part, `${part}: not UTF-8`);
  }
  return {
    values: PACKAGE_VALUES.map((name) => ({ name, value: bytesOf(name), salt: bytesOf(`${name}_salt`) })),
    shares: SHARE_PARTS.map((name) => ({ name, bytes: bytesOf(name) })),
    manifest: bytesOf(MANIFEST_PART),
    signature: bytesOf(SIGNATURE_PART),
    textOf: (name) => decodeUtf8(bytesOf(name)),
  };
}

function checkLength(part: PackagePart, bytes: number, limitBytes: number): void {
  if (bytes <= limitBytes) return;
  const form = part === SIGNATURE_PART ? ', the signature itself and not its text' : '';
  throw packageRefusal('parts', part, `${part}: expected at most ${limitBytes} bytes${form}, got ${bytes}`);
}
