import type { JWK } from 'jose';

/** A signature algorithm of proofs, with the keys that it takes. */
interface ProofAlgorithm {
  /** Returns the public members of a key, and nothing else of it; undefined for a key that is not taken. */
  readonly publicKey: (jwk: Readonly<Record<string, unknown>>) => JWK | undefined;
}

// Verification time grows with modulus and exponent, and a stranger chooses both.
const MIN_MODULUS_BITS = 2048;
const MAX_MODULUS_BITS = 4096;
const MAX_EXPONENT_BYTES = 4;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

const ed25519: ProofAlgorithm = { publicKey: (jwk) => pointOf(jwk, 'OKP', 'Ed25519', ['x'], 32) };
const rsa: ProofAlgorithm = { publicKey: rsaKeyOf };

/** Algorithms by name; all are asymmetric, and jose has them in every supported Node.js. */
const ALGORITHMS: Readonly<Record<string, ProofAlgorithm>> = {
  ES256: { publicKey: (jwk) => pointOf(jwk, 'EC', 'P-256', ['x', 'y'], 32) },
  ES384: { publicKey: (jwk) => pointOf(jwk, 'EC', 'P-384', ['x', 'y'], 48) },
  EdDSA: ed25519,
  Ed25519: ed25519,
  RS256: rsa,
  PS256: rsa,
};

/** Names of the algorithms of proofs, for metadata and challenges. */
export const DPOP_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

/** Returns an algorithm by the `alg` of a header; undefined if it is not taken. */
export function proofAlgorithm(alg: unknown): ProofAlgorithm | undefined {
  return typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
}

/** Whether a JWK has a member of a private or symmetric key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1). */
export function hasPrivateMember(jwk: Readonly<Record<string, unknown>>): boolean {
  return ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'].some((name) => Object.hasOwn(jwk, name));
}

function pointOf(
  jwk: Readonly<Record<string, unknown>>,
  kty: string,
  crv: string,
  names: readonly string[],
  bytes: number,
): JWK | undefined {
  const isRight =
    jwk.kty === kty && jwk.crv === crv && names.every((name) => bytesOf(jwk[name])?.length === bytes);
  return isRight ? { kty, crv, ...Object.fromEntries(names.map((name) => [name, jwk[name]])) } : undefined;
}

function rsaKeyOf({ kty, n, e }: Readonly<Record<string, unknown>>): JWK | undefined {
  const [modulus, exponent] = [bytesOf(n), bytesOf(e)];
  if (kty !== 'RSA' || modulus === undefined || exponent === undefined) return undefined;
  const bits = bitLength(modulus);
  if (bits < MIN_MODULUS_BITS || bits > MAX_MODULUS_BITS) return undefined;
  if (exponent.length > MAX_EXPONENT_BYTES || exponent[0] === 0) return undefined;
  const value = exponent.reduce((sum, byte) => sum * 256 + byte, 0);
  return value < 3 || value % 2 === 0 ? undefined : ({ kty, n, e } as JWK);
}

/** Number of significant bits of a big-endian number; 0 if it has leading zero bytes, which RFC 7518 forbids. */
function bitLength(bytes: Uint8Array): number {
  const [first = 0] = bytes;
  return first === 0 ? 0 : bytes.length * 8 - Math.clz32(first) + 24;
}

/** Decodes a member in the one base64url form of its bytes; undefined for anything else. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !BASE64URL.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes : undefined;
}
