/**
 * The custody package of an orb (spec/refresh.md#custody-package): the checks of a holder's own capture before
 * claims[0] is derived from it. `checkPackage` runs them in order.
 */
import { createHash } from 'node:crypto';
import { isEqual } from '../../bytes.ts';
import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/log/log.ts';
import type { EnrolmentRow } from '../../storage/refresh/enrolments.ts';
import type { OrbKeyStore } from '../../storage/refresh/orb-keys.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { RefreshForm } from '../request/parse-form.ts';
import { checkSignature, findOrbKeys } from './check-signature.ts';
import { type Manifest, type PackageParts, packageRefusal, readManifest, readParts } from './read-package.ts';

/** Dependencies of `checkPackage`. */
export interface PackageChecks {
  readonly orbKeys: Pick<OrbKeyStore, 'list'>;
  readonly config: { readonly refresh: Pick<Config['refresh'], 'pcpVersions' | 'pcpSignupReasons'> };
  /** Receives warnings about stored keys that are unusable. */
  readonly log?: Pick<Log, 'warn'>;
}

/** The parts of a valid package that are needed after its check. */
export interface CheckedPackage {
  /** `hashes.json`, the exact bytes received: claims[0] is their hash. */
  readonly manifest: Uint8Array;
  readonly manifestSha256: Bytes32;
  readonly operatorId: string;
}

/**
 * Checks a custody package (spec/refresh.md#order-of-checks, package): the rules of spec/refresh.md#package-checks in
 * their order.
 *
 * @param form - A form with at least one part of a package.
 * @param enrolment - The active record of the holder.
 * @throws ServiceError `refresh.package_invalid` with the first rule that fails, `store.unreachable`
 */
export async function checkPackage(
  form: RefreshForm,
  enrolment: EnrolmentRow,
  checks: PackageChecks,
): Promise<CheckedPackage> {
  const { pcpVersions, pcpSignupReasons } = checks.config.refresh;
  const parts = readParts(form);
  const manifest = readManifest(parts.manifest);
  checkVersion(manifest, pcpVersions);
  checkDigests(parts, manifest);
  checkReason(parts, pcpSignupReasons);
  const keys = await findOrbKeys(checks.orbKeys, parts.textOf('orb_id'));
  await checkSignature(parts.manifest, parts.signature, keys, checks.log);
  checkEnrolment(parts, enrolment);
  return {
    manifest: parts.manifest,
    manifestSha256: createHash('sha256').update(parts.manifest).digest(),
    operatorId: parts.textOf('operator_id'),
  };
}

function checkVersion(manifest: Manifest, versions: readonly string[]): void {
  const version = manifest.get('version');
  if (version === undefined || !versions.includes(version)) {
    const what = version === undefined ? 'the manifest has none' : 'packages of this one are not taken';
    throw packageRefusal('version', 'hashes.json', `version: ${what}`);
  }
}

function checkReason(parts: PackageParts, reasons: readonly string[]): void {
  if (!reasons.includes(parts.textOf('signup_reason'))) {
    const message = 'signup_reason: a capture of this one renews nobody';
    throw packageRefusal('signup_reason', 'signup_reason', message);
  }
}

function checkEnrolment(parts: PackageParts, enrolment: EnrolmentRow): void {
  const pairs = [
    ['signup_id', enrolment.signupId],
    ['orb_id', enrolment.orbId],
  ] as const;
  for (const [name, enrolled] of pairs) {
    if (parts.textOf(name) !== enrolled) {
      throw packageRefusal('enrolment', name, `enrolment: ${name} is another than that of the record`);
    }
  }
}

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Checks that the manifest has the digests of the seven salted values and the three shares
 * (spec/refresh.md#package-checks, digest), computed as in spec/refresh.md#digests.
 *
 * @throws ServiceError `refresh.package_invalid` naming the first part without its digest
 */
function checkDigests(parts: PackageParts, manifest: Manifest): void {
  for (const { name, value, salt } of parts.values) checkDigest(name, manifest.get(name), value, salt);
  for (const { name, bytes } of parts.shares) checkDigest(name, manifest.get(`${name}.json`), bytes);
}

function checkDigest(part: string, written: string | undefined, ...pieces: readonly Uint8Array[]): void {
  const fault = digestFault(written, pieces);
  if (fault !== undefined) throw packageRefusal('digest', part, `${part}: ${fault}`);
}

function digestFault(written: string | undefined, pieces: readonly Uint8Array[]): string | undefined {
  if (written === undefined) return 'the manifest has no digest of it';
  if (!DIGEST.test(written)) return 'its digest is not 64 lower-case hex digits';
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return isEqual(hash.digest(), Buffer.from(written, 'hex')) ? undefined : 'its digest is another';
}
