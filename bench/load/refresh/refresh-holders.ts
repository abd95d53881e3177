import { createHash } from 'node:crypto';
import type { EnrolmentRow } from '../../../src/storage/refresh/enrolments.ts';
import { be32, R } from '../../../test/support/crypto/bn254.ts';
import { trapdoorScalar } from '../../../test/support/crypto/trapdoor.ts';
import {
  type CustodyPackage,
  makePackage,
  signManifest,
} from '../../../test/support/refresh/custody-package.ts';

/** A holder of an older identity; `idComm` and `sub` have 32 bytes, big-endian. */
export interface BenchHolder {
  readonly idComm: Uint8Array;
  readonly sub: Uint8Array;
  readonly signupId: string;
}

/** Bytes of a share text, as in practice (spec/refresh.md#form-parts). */
const SHARE_BYTES = 102_400;
/** Most credentials of a holder in a window: the default, which the bench does not change. */
export const ISSUED_PER_HOLDER = 5;

// A large odd step modulo r: values are distinct, and not in the order of the database's keys.
const STEP = trapdoorScalar('bench-holder-step');
const [FIRST_ID_COMM, FIRST_SUB] = ['bench-id-comm', 'bench-sub'].map(trapdoorScalar) as [bigint, bigint];

/** Derives the holder with a number. */
export function benchHolder(index: number): BenchHolder {
  const at = (first: bigint): Uint8Array => be32((first + BigInt(index) * STEP) % R);
  return { idComm: at(FIRST_ID_COMM), sub: at(FIRST_SUB), signupId: `bench_${index}` };
}

let common: CustodyPackage | undefined;

/** Makes the custody package of a holder; only signup, digest and signature differ between holders. */
export function benchPackage({ signupId }: BenchHolder): Pick<CustodyPackage, 'fields' | 'manifest'> {
  common ??= makePackage({ seed: 'bench', shareBytes: SHARE_BYTES });
  const { fields, orbKey } = common;
  const digest = (value: string): string =>
    createHash('sha256').update(`${value}${fields.signup_id_salt}`).digest('hex');
  const text = Buffer.from(common.manifest).toString();
  const manifest = Buffer.from(text.replace(digest(common.signupId), digest(signupId)));
  const signed = { 'hashes.json': manifest, 'hashes.sign': signManifest(manifest, orbKey) };
  return { fields: { ...fields, signup_id: signupId, ...signed }, manifest };
}

/** The orb of every package. */
export const BENCH_ORB: { readonly orbId: string; readonly pem: string; readonly keyHash: Uint8Array } =
  (() => {
    const { orbId, orbKey } = makePackage();
    return { orbId, pem: orbKey.pem, keyHash: orbKey.keyHash };
  })();

/** Makes active enrolments of `count` holders, from number `first` on. */
export function enrolments(first: number, count: number, now: number): EnrolmentRow[] {
  return Array.from({ length: count }, (_, offset) => {
    const { idComm, signupId } = benchHolder(first + offset);
    const { orbId } = BENCH_ORB;
    return { idComm, signupId, orbId, enrolledAt: now, status: 'active', updatedAt: now };
  });
}
