import { createHash } from 'node:crypto';
import { isEqual } from '../../bytes.ts';
import type { Manifest } from './read-manifest.ts';
import type { PackageParts } from './read-parts.ts';
import { packageRefusal } from './refusal.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Checks that the manifest has the digests of the seven salted values and the three shares
 * (spec/refresh.md#package-checks, digest), computed as in spec/refresh.md#digests.
 *
 * @throws ServiceError `refresh.package_invalid` naming the first part without its digest
 */
export function checkDigests(parts: PackageParts, manifest: Manifest): void {
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
