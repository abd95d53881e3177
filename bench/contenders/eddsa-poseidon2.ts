/**
 * EdDSA over BabyJubJub with Poseidon2 in plain JavaScript (spec/credential.md#eddsa-poseidon2), with the
 * curve arithmetic of `@noble/curves` and BLAKE3 of `@noble/hashes`, without code of the product. circomlibjs
 * signs over another hash, so its signatures cannot be compared.
 */
import { type EdwardsPoint, edwards } from '@noble/curves/abstract/edwards.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { FIELD_ORDER, poseidon2 } from './poseidon2.ts';

/** Order of the prime subgroup. */
export const SUBGROUP_ORDER: bigint =
  2736030358979909402780800718157159386076813972158567259200215660948447373041n;

const A = 168_700n;
const D = 168_696n;
const Curve = edwards({
  p: FIELD_ORDER,
  n: SUBGROUP_ORDER,
  h: 8n,
  a: A,
  d: D,
  Gx: 5299619240641551281634865583518297030282874472190772894086521144482721001553n,
  Gy: 16950150798460657717958625567821834550301663161624707787222815936182638968203n,
});
const Field = Curve.Fp;
// The ASCII bytes of the text as a big-endian number.
const SEPARATOR = BigInt(`0x${Buffer.from('EdDSA Signature', 'latin1').toString('hex')}`);

/** A signing key. */
export interface PlainSigningKey {
  readonly scalar: bigint;
  readonly nonceSecret: bigint;
  readonly point: EdwardsPoint;
  readonly publicKey: readonly [x: bigint, y: bigint];
  /** 32 bytes. */
  readonly compressed: Uint8Array;
}

function numberLe(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function bytesLe(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse());
}

function encode(point: EdwardsPoint): Uint8Array {
  const { x, y } = point.toAffine();
  const bytes = bytesLe(y);
  if (x > (FIELD_ORDER - 1n) / 2n) bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes;
}

/** Decodes the point of 32 bytes, of any order; undefined if they encode no point. */
function decode(bytes: Uint8Array): EdwardsPoint | undefined {
  if (bytes.length !== 32) return undefined;
  const copy = Uint8Array.from(bytes);
  const isUpper = ((copy[31] ?? 0) & 0x80) !== 0;
  copy[31] = (copy[31] ?? 0) & 0x7f;
  const y = numberLe(copy);
  if (y >= FIELD_ORDER) return undefined;
  const square = Field.div(Field.sub(1n, Field.sqr(y)), Field.sub(A, Field.mul(D, Field.sqr(y))));
  let root: bigint;
  try {
    root = Field.sqrt(square);
  } catch {
    return undefined;
  }
  if (root === 0n && isUpper) return undefined;
  const x = root > (FIELD_ORDER - 1n) / 2n === isUpper ? root : Field.neg(root);
  return Curve.fromAffine({ x, y });
}

/** Multiplies a point by a scalar, which may be 0. */
const times = (point: EdwardsPoint, scalar: bigint): EdwardsPoint =>
  scalar === 0n ? Curve.ZERO : point.multiply(scalar);

function challenge(nonce: EdwardsPoint, key: EdwardsPoint, message: bigint): bigint {
  const [r, a] = [nonce.toAffine(), key.toAffine()];
  return (poseidon2([SEPARATOR, r.x, r.y, a.x, a.y, message, 0n, 0n])[1] ?? 0n) % SUBGROUP_ORDER;
}

/** Derives the key of a seed. @param seed - 32 bytes. */
export function plainSigningKey(seed: Uint8Array): PlainSigningKey {
  const hash = blake3(seed, { dkLen: 64 });
  const clamped = hash.slice(0, 32);
  clamped[0] = (clamped[0] ?? 0) & 0xf8;
  clamped[31] = ((clamped[31] ?? 0) & 0x7f) | 0x40;
  const scalar = numberLe(clamped) % SUBGROUP_ORDER;
  const point = times(Curve.BASE, scalar);
  const { x, y } = point.toAffine();
  return {
    scalar,
    nonceSecret: numberLe(hash.slice(32)) % SUBGROUP_ORDER,
    point,
    publicKey: [x, y],
    compressed: encode(point),
  };
}

/** Signs a field element; returns 64 bytes. */
export function plainSign(key: PlainSigningKey, message: bigint): Uint8Array {
  const preimage = Buffer.concat([bytesLe(key.nonceSecret), bytesLe(message)]);
  const nonce = numberLe(blake3(preimage, { dkLen: 64 })) % SUBGROUP_ORDER;
  const point = times(Curve.BASE, nonce);
  const s = (nonce + challenge(point, key.point, message) * key.scalar) % SUBGROUP_ORDER;
  return new Uint8Array(Buffer.concat([encode(point), bytesLe(s)]));
}

/**
 * Verifies a signature over a field element. If the key is in the prime subgroup, so is s·G − c·A, and R too
 * if it equals that point; multiplying by the cofactor would change nothing.
 *
 * @param compressed - The public key, 32 bytes.
 */
export function plainVerify(compressed: Uint8Array, message: bigint, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const nonce = decode(signature.subarray(0, 32));
  const key = decode(compressed);
  const s = numberLe(signature.subarray(32));
  if (nonce === undefined || key === undefined || s >= SUBGROUP_ORDER) return false;
  if (key.is0() || !key.isTorsionFree()) return false;
  const c = challenge(nonce, key, message);
  return times(Curve.BASE, s).subtract(times(key, c)).equals(nonce);
}
